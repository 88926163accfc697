package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// About is what a reader must know to use a table: it becomes the notes under it.
type About struct {
	Data       []string          // a sentence each: "yelp: 107,384 + 158,574 training sentences"
	Seeds      []uint64          // of the points in the table
	Profile    string            // "paper" or "authors"
	Overrides  []Override        // of the profile, that the table's rows depend on and do not name themselves
	Signatures map[string]string // metric: how it was computed; tables print those of their columns
	Missing    map[string]string // metric that no row has: a sentence on what to install or set to have it
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
		first = append(first, "Profile: "+a.ProfileText())
	}
	if len(first) > 0 {
		lines = append(lines, strings.Join(first, ". ")+".")
	}
	return append(lines, a.Notes...)
}

// ProfileText names the profile, and what is not as that has it.
func (a About) ProfileText() string {
	if len(a.Overrides) == 0 {
		return a.Profile
	}
	return a.Profile + ", but " + overridesText(a.Overrides)
}

// without returns the lines under a table of metrics, and for the absent ones what would give them.
func (a About) without(absent []string) []string {
	lines := a.notes()
	for _, key := range absent {
		if why := a.Missing[key]; why != "" {
			lines = lists.AddOnce(lines, why)
		}
	}
	return lines
}

// of returns the signatures of some metrics alone.
func (a About) of(keys ...string) map[string]string {
	some := maps.Clone(a.Signatures)
	maps.DeleteFunc(some, func(name, _ string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return signs(name, key) })
	})
	return some
}

// signs says whether the signature of a name is about the metric of a key: its own, or that of a
// family ("collapse", "distinct").
func signs(name, key string) bool {
	return name == key || strings.HasPrefix(key, name+"_")
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

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
