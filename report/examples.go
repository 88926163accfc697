package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Example is one transferred sentence.
type Example struct {
	Dataset, From, To string // From and To are the names of the source and target style
	System            string
	// In these three texts, single spaces separate the words. Masked is table.Absent if the system
	// masks nothing.
	Source, Masked, Output string
}

// Examples returns a table of example sentences, in the paper's layout. The source and the masked
// text appear once, and the output of each system appears below them. Adjacent examples with the
// same direction and source form a group. Output words that are not in the source are highlighted.
func Examples(all []Example, about About) *table.Table {
	several := slices.ContainsFunc(all, func(e Example) bool { return e.Dataset != all[0].Dataset })
	t := &table.Table{
		Name: "examples", Title: "Example outputs.", Labels: 2, Settings: about.Settings(), Notes: about.Notes,
		Legend: append([]string{"Words that the source does not have are set apart. " +
			"An empty cell repeats the sentence above it, and a dash is an empty output."}, about.Legend...),
		Columns: []table.Column{
			{Head: "Direction", Merge: true, Width: 2},
			{Head: "System", Width: 3},
			{Head: "Sentence", Merge: true, Width: 11, Parts: []string{"Source", "Masked", "Output"}},
		},
	}
	if len(all) > 0 && !several {
		t.Title = "Example outputs for sentences of the " + all[0].Dataset + " test set."
	}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].sentence() == all[0].sentence() {
			n++
		}
		direction := all[0].From + " to " + all[0].To
		if several {
			direction = all[0].Dataset + ": " + direction
		}
		addExamples(t, direction, all[:n])
		all = all[n:]
	}
	return t
}

// sentence identifies the sentence that is rewritten: by its data set, styles and words.
func (e *Example) sentence() [4]string { return [4]string{e.Dataset, e.From, e.To, e.Source} }

// addExamples adds the rows for one sentence: its source, each masked text, and the output of each
// system. If systems have different masked texts, each masked text is labelled with its systems.
// Systems with equal outputs are next to each other.
func addExamples(t *table.Table, direction string, of []Example) {
	add := func(name string, cell table.Cell, shared bool) {
		t.Rows = append(t.Rows, table.Row{
			Dataset: direction, Shared: shared, Joined: name != sourceRow,
			Rule:  len(t.Rows) > 0 && t.Rows[len(t.Rows)-1].Dataset != direction,
			Cells: []table.Cell{{Text: direction}, {Text: name}, cell},
		})
	}
	add(sourceRow, table.Cell{Text: table.Flat(of[0].Source)}, true)
	var masked []string
	systems := map[string][]string{} // maps a masked text to its systems
	for _, e := range of {
		if e.Masked != table.Absent {
			masked = lists.AddOnce(masked, e.Masked)
			systems[e.Masked] = append(systems[e.Masked], e.System)
		}
	}
	for _, text := range masked {
		name := "masked"
		if len(masked) > 1 {
			name += " for " + strings.Join(systems[text], ", ")
		}
		add(name, table.Cell{Text: table.Flat(text)}, true)
	}
	outputs := lists.AddOnce(nil, lists.Map(of, func(e Example) string { return e.Output })...)
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b Example) int {
		return slices.Index(outputs, a.Output) - slices.Index(outputs, b.Output)
	})
	for _, e := range of {
		source, output := table.Flat(e.Source), table.Flat(e.Output)
		add(e.System, table.Cell{
			Text: cmp.Or(output, table.Absent), Parts: []string{e.Source, e.Masked, e.Output},
			Stress: Replaced(strings.Fields(source), strings.Fields(output)),
		}, false)
	}
}

// sourceRow is the label of the row with the source.
const sourceRow = "source"

// Replaced reports for each output word whether it is new. A word is new if it is not part of the
// longest common subsequence of source and output. If there are several longest ones, the leftmost
// counts.
func Replaced(source, output []string) []bool {
	longest := corpus.LongestCommon(source, output)
	put := make([]bool, len(output))
	for i, j := 0, 0; j < len(output); {
		switch {
		case i < len(source) && source[i] == output[j]:
			i, j = i+1, j+1
		case i < len(source) && longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			put[j] = true
			j++
		}
	}
	return put
}
