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

// Override is a key of the experiment file with another value than the profile's, on one data set.
type Override struct{ Dataset, Table, Key, Value string }

// overridesText lists overrides: "divlstm.lambda_con 0.5, embedding 64; smlm.dim 256". Those that
// not all data sets have, with one value, come after the name of theirs.
func overridesText(all []Override) string {
	var datasets []string
	for _, o := range all {
		datasets = lists.AddOnce(datasets, o.Dataset)
	}
	everywhere := func(o Override) bool {
		return !slices.ContainsFunc(datasets, func(name string) bool {
			o.Dataset = name
			return !slices.Contains(all, o)
		})
	}
	parts := []string{tablesText(all, func(o Override) bool { return o.Dataset == datasets[0] && everywhere(o) })}
	for _, name := range datasets {
		some := tablesText(all, func(o Override) bool { return o.Dataset == name && !everywhere(o) })
		if some != "" {
			parts = append(parts, "on "+name+": "+some)
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// tablesText lists some overrides, table by table; a table's name stands before its first key.
func tablesText(all []Override, of func(Override) bool) string {
	var text strings.Builder
	table := ""
	for _, o := range all {
		switch {
		case !of(o):
			continue
		case o.Table == table:
			text.WriteString(", ")
		case table != "":
			text.WriteString("; ")
		}
		if o.Table != table {
			text.WriteString(o.Table + ".")
		}
		table = o.Table
		text.WriteString(o.Key + " " + o.Value)
	}
	return text.String()
}

// signatureLines returns a line a signature: "s_bleu: bleu4|level:corpus|...". Metrics of equal
// signatures share a line, and so do the BLEUs that differ in n alone, so that a long list stays
// readable.
func signatureLines(signatures map[string]string) []string {
	type line struct {
		names []string
		text  string
	}
	var lines []line
	for _, name := range sortedKeys(signatures) {
		text := strings.TrimSuffix(signatures[name], ".")
		if base, n, ok := bleuOrder(name); ok && signatures[base] == strings.NewReplacer("bleu"+n+"|", "bleu4|",
			"|n:"+n+"|", "|n:4|").Replace(text) {
			text = strings.TrimSuffix(signatures[base], ".")
		}
		if i := slices.IndexFunc(lines, func(l line) bool { return l.text == text }); i >= 0 {
			lines[i].names = append(lines[i].names, name)
			continue
		}
		lines = append(lines, line{[]string{name}, text})
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		more := ""
		if len(l.names) > 1 && slices.ContainsFunc(l.names, func(name string) bool {
			_, _, ok := bleuOrder(name)
			return ok
		}) {
			more = " (n: that of the name)"
		}
		out[i] = fmt.Sprintf("%s: %s%s.", strings.Join(l.names, ", "), l.text, more)
	}
	return out
}

// bleuOrder splits the name of a shorter BLEU: "s_bleu_2" is "s_bleu" and "2".
func bleuOrder(name string) (base, n string, ok bool) {
	base, n, ok = strings.Cut(name, "bleu_")
	return base + "bleu", n, ok && len(n) == 1
}
