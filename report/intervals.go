package report

import (
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// IntervalRow is a row of Results with the interval of each metric, by key. Metrics, which shows
// the flaws, may be nil.
type IntervalRow struct {
	ResultRow
	Intervals map[string]metrics.Interval
}

// intervalNote says what the intervals do not cover.
const intervalNote = "The intervals are those of one trained model. Another training may differ by more."

// Intervals returns the table of metrics with bootstrap intervals, "60.8 [58.9, 62.7]". It has the
// labels and the order of Results, and a column for each metric that any row has. LaTeX has only
// the metrics of Main, because a paper has no room for more. Nothing is ranked; systems with a flaw
// are signed.
func Intervals(rows []IntervalRow, about About) *table.Table {
	of := func(r *IntervalRow) *ResultRow { return &r.ResultRow }
	s := systemSheet("intervals", "Metrics with 95 % confidence intervals on the "+testSet+".", rows, of, about)
	s.byModel()
	s.paper = "results content"
	keys := map[string]bool{}
	for _, r := range rows {
		for key := range r.Intervals {
			keys[key] = true
		}
	}
	group := metrics.GroupResults
	for _, m := range metrics.ColumnsOf(sortedKeys(keys)...) {
		c := metricColumn(m, func(r *IntervalRow) table.Cell {
			v, known := r.Intervals[m.Key]
			if !known {
				return table.Cell{Text: table.Absent}
			}
			text := func(v float64) string { return table.Decimals(m.Shown(v), m.Decimals) }
			exact := func(v float64) string { return table.Exact(m.Shown(v)) }
			return table.Cell{
				Text:  text(v.Value) + " [" + text(v.Low) + ", " + text(v.High) + "]",
				Parts: []string{exact(v.Value), exact(v.Low), exact(v.High)},
			}
		})
		c.Column, c.better = c.Split("", "low", "high"), metrics.Neither
		if part := intervalParts[m.Group]; part != "" && m.Group != group {
			c.Begins = part
		}
		group, c.NotInLaTeX = m.Group, m.Group != metrics.GroupResults
		s.numbers = append(s.numbers, c)
	}
	words := newWordColumn(s.rows, of)
	words.NotInLaTeX = true // because it has no interval
	s.numbers = append(s.numbers, words)
	s.signatures = about.of(s.keys()...)
	s.legend = []string{"In brackets: 95 % bootstrap interval over the test sentences."}
	s.define()
	s.defines = append(s.defines, newWordDefined)
	return s.table(intervalNote)
}

// intervalParts names the groups of columns.
var intervalParts = map[metrics.Group]string{
	metrics.GroupFluency: "fluency", metrics.GroupContent: "content preservation", metrics.GroupOther: "other metrics",
}
