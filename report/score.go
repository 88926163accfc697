package report

import (
	"fmt"
	"slices"
	"sort"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// Score is the table of one system: a row a direction and one for both, with the commonest new word itself. The notes
// are the signatures of the metrics.
func Score(r *metrics.Report) *Table {
	t := &Table{Name: "score", Title: "Scores of the outputs.", Columns: []Column{{Head: "Direction"}, {Head: "outputs", Align: Right}}}
	shown := slices.Concat(resultMetrics, contentMetrics)
	t.Columns = append(t.Columns, rankedColumns(shown)...)
	t.Columns = append(t.Columns, Column{Head: "commonest\nnew word"}, Column{Head: "its\nshare", Align: Right},
		Column{Head: "distinct\nnew words", Align: Right}, Column{Head: "repeat", Align: Right})
	for _, d := range r.Directions {
		cells := append([]Cell{{Text: d.From + " to " + d.To}, {Text: thousands(d.N)}}, rankedCells(shown, d.Metrics)...)
		word := d.CommonestNewWord
		if word == "" {
			word = Absent
		}
		t.Rows = append(t.Rows, Row{Cells: append(cells, Cell{Text: word}, Cell{Text: share(d.CommonestNewWordShare)},
			Cell{Text: thousands(d.DistinctNewWords)}, Cell{Text: share(d.RepeatShare)})})
	}
	cells := append([]Cell{{Text: "both"}, {Text: thousands(r.Directions[0].N + r.Directions[1].N)}}, rankedCells(shown, r.Metrics)...)
	t.Rows = append(t.Rows, Row{Rule: true, Cells: append(cells, Cell{}, Cell{}, Cell{}, Cell{})})
	names := make([]string, 0, len(r.Signatures))
	for name := range r.Signatures {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %s", name, r.Signatures[name]))
	}
	return t
}
