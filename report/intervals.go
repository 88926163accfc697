package report

import (
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// IntervalRow is a row of Results with the interval of each metric, by its key. Metrics may be nil:
// then nothing is known of flaws.
type IntervalRow struct {
	ResultRow
	Intervals map[string]metrics.Interval
}

// intervalNote says what stands in brackets.
const intervalNote = "The intervals are for this one trained model; training again may differ by more. " +
	"Most frequent new word, per direction: its share among all new-word occurrences."

// Intervals is the table of metrics with their bootstrap intervals, "60.8 [58.9, 62.7]": the labels
// and the order of Results, and a column for each metric that any row has. Nothing is ranked;
// systems with a flaw are signed.
func Intervals(rows []IntervalRow, about About) *table.Table {
	of := func(r *IntervalRow) *ResultRow { return &r.ResultRow }
	s := systemSheet("intervals", "Metrics with 95 % intervals on the test set", rows, of)
	s.paper = "results content"
	keys := map[string]bool{}
	for _, r := range rows {
		for key := range r.Intervals {
			keys[key] = true
		}
	}
	for _, m := range metrics.ColumnsOf(sortedKeys(keys)...) {
		c := metricColumn(m, func(r *IntervalRow) table.Cell {
			v, known := r.Intervals[m.Key]
			if !known {
				return table.Cell{Text: table.Absent}
			}
			value, low, high := table.Decimals(v.Value, m.Decimals), table.Decimals(v.Low,
				m.Decimals), table.Decimals(v.High, m.Decimals)
			return table.Cell{Text: value + " [" + low + ", " + high + "]", Parts: []string{value, low, high}}
		})
		c.Column, c.better = c.Split("", "low", "high"), metrics.Neither
		s.numbers = append(s.numbers, c)
	}
	s.numbers = append(s.numbers, newWordColumn(s.rows, of))
	s.signatures = about.of(s.keys()...)
	s.legend = []string{"In brackets: 95 % bootstrap interval over the test sentences."}
	return s.table(append(about.notes(), intervalNote)...)
}
