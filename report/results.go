package report

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// ResultRow is one system on one data set: one of ours at a point of the sweep, or a published one.
type ResultRow struct {
	Dataset, System string
	Published       bool   // stands below the line
	Unranked        bool   // shown, but never best: the human references, whose r-BLEU is 100 by definition
	Axes            []Axis // the swept settings of this point; nil for a published system
	Seed            uint64 // ignored for a published system
	Metrics         *metrics.Report
}

// resultMetrics are the ranked columns, in the paper's order.
var resultMetrics = []rankedMetric{
	{"TST%", func(m metrics.Metrics) *float64 { return m.TST }, 1},
	{"r-BLEU", func(m metrics.Metrics) *float64 { return m.RBLEU }, 1},
	{"s-BLEU", func(m metrics.Metrics) *float64 { return m.SBLEU }, 1},
	{"Nat.", func(m metrics.Metrics) *float64 { return m.Naturalness }, 3},
	{"Mean", func(m metrics.Metrics) *float64 { return m.Mean }, 2},
}

// collapseNote says what the last three columns are.
const collapseNote = "Last three columns, per direction: share of the commonest new word among all new-word occurrences, distinct new words, share of outputs " +
	"in which a word follows itself; new: in the output and not in its source. A share near 1 means one word everywhere, which the other columns cannot see."

// Results is the table of transfer results: one row a point, then the published systems of the same data set, data sets apart.
// The best and second-best value of each metric are marked among all rows of a data set. The data set, the swept settings and
// the seed have columns only where they differ.
func Results(rows []ResultRow, about About) *Table {
	t := systems(rows, resultMetrics, []string{"commonest\nnew word", "distinct\nnew words", "repeat"}, collapseCells)
	t.Name, t.Title, t.Notes = "results", "Transfer results on the test set"+ofOnly(rows)+".", append(about.withoutContent().notes(), collapseNote)
	return t
}

// collapseCells formats the collapse columns with the two directions beside each other.
func collapseCells(r *metrics.Report) []Cell {
	a, b := r.Directions[0], r.Directions[1]
	return []Cell{
		{Text: share(a.CommonestNewWordShare) + " / " + share(b.CommonestNewWordShare)},
		{Text: fmt.Sprintf("%d / %d", a.DistinctNewWords, b.DistinctNewWords)},
		{Text: share(a.RepeatShare) + " / " + share(b.RepeatShare)},
	}
}
