package report

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// About is what a reader must know to use a table: it becomes the notes under it.
type About struct {
	Data       []string          // a sentence each: "yelp: 107,384 + 158,574 training sentences"
	Seeds      []uint64          // of the points in the table
	Profile    string            // "paper" or "authors"
	Signatures map[string]string // metric: how it was computed
	Notes      []string          // anything else, a sentence each
}

// notes returns the lines, always in the same order.
func (a About) notes() []string {
	var lines []string
	if len(a.Data) > 0 {
		lines = append(lines, "Data: "+strings.Join(a.Data, "; ")+".")
	}
	var first []string
	if len(a.Seeds) > 0 {
		first = append(first, plural(len(a.Seeds), "Seed")+" "+joinSeeds(a.Seeds))
	}
	if a.Profile != "" {
		first = append(first, "Profile: "+a.Profile)
	}
	if len(first) > 0 {
		lines = append(lines, strings.Join(first, ". ")+".")
	}
	names := make([]string, 0, len(a.Signatures))
	for name := range a.Signatures {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s: %s.", name, strings.TrimSuffix(a.Signatures[name], ".")))
	}
	return append(lines, a.Notes...)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func joinSeeds(seeds []uint64) string {
	texts := make([]string, 0, len(seeds))
	for _, s := range slices.Sorted(slices.Values(seeds)) {
		texts = append(texts, fmt.Sprint(s))
	}
	return strings.Join(slices.Compact(texts), ", ")
}

// only returns the signatures that keep accepts.
func only(signatures map[string]string, keep func(key string) bool) map[string]string {
	signatures = maps.Clone(signatures)
	maps.DeleteFunc(signatures, func(key, _ string) bool { return !keep(key) })
	return signatures
}
