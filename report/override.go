package report

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

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
