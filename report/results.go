package report

import (
	"fmt"
	"slices"

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
var resultMetrics = []struct {
	head     string
	of       func(metrics.Metrics) *float64
	decimals int
}{
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
	rows = slices.Clone(rows)
	order := datasetOrder(rows)
	slices.SortStableFunc(rows, func(a, b ResultRow) int {
		if d := order[a.Dataset] - order[b.Dataset]; d != 0 {
			return d
		}
		return boolInt(a.Published) - boolInt(b.Published)
	})
	var axes [][]Axis
	var seeds []uint64
	for _, r := range rows {
		axes = append(axes, r.Axes)
		if !r.Published {
			seeds = append(seeds, r.Seed)
		}
	}
	keys := axisKeys(axes)
	withData, withSeed := len(order) > 1, severalSeeds(seeds)

	t := &Table{Name: "results", Title: "Transfer results on the test set.", Notes: append(about.notes(), collapseNote)}
	if len(order) == 1 {
		t.Title = fmt.Sprintf("Transfer results on the test set of %s.", rows[0].Dataset)
	}
	if withData {
		t.Columns = append(t.Columns, Column{Head: "Data set", Merge: true})
	}
	t.Columns = append(t.Columns, Column{Head: "System"})
	t.Columns = append(t.Columns, axisColumns(keys, axes)...)
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right})
	}
	firstMetric := len(t.Columns)
	for _, m := range resultMetrics {
		t.Columns = append(t.Columns, Column{Head: m.head, Align: Right})
	}
	for _, head := range []string{"commonest\nnew word", "distinct\nnew words", "repeat"} {
		t.Columns = append(t.Columns, Column{Head: head, Align: Center})
	}

	for i, r := range rows {
		row := Row{Rule: i > 0 && (rows[i-1].Dataset != r.Dataset || rows[i-1].Published != r.Published)}
		if withData {
			row.Cells = append(row.Cells, Cell{Text: r.Dataset})
		}
		row.Cells = append(row.Cells, Cell{Text: r.System})
		row.Cells = append(row.Cells, axisCells(keys, r.Axes)...)
		if withSeed {
			text := ""
			if !r.Published {
				text = fmt.Sprint(r.Seed)
			}
			row.Cells = append(row.Cells, Cell{Text: text})
		}
		row.Cells = append(row.Cells, metricCells(r.Metrics)...)
		t.Rows = append(t.Rows, row)
	}
	for start := 0; start < len(rows); {
		end := start
		for end < len(rows) && rows[end].Dataset == rows[start].Dataset {
			end++
		}
		for j := range resultMetrics {
			rank(ranked(t.Rows[start:end], rows[start:end]), firstMetric+j)
		}
		start = end
	}
	return t
}

// metricCells formats one report: the ranked metrics, then the collapse columns with the two directions beside each other.
func metricCells(r *metrics.Report) []Cell {
	cells := rankedCells(r.Metrics)
	a, b := r.Directions[0], r.Directions[1]
	return append(cells,
		Cell{Text: share(a.CommonestNewWordShare) + " / " + share(b.CommonestNewWordShare)},
		Cell{Text: fmt.Sprintf("%d / %d", a.DistinctNewWords, b.DistinctNewWords)},
		Cell{Text: share(a.RepeatShare) + " / " + share(b.RepeatShare)})
}

// rankedCells formats the metrics, absent ones as Absent.
func rankedCells(all metrics.Metrics) []Cell {
	var cells []Cell
	for _, m := range resultMetrics {
		text := Absent
		if v := m.of(all); v != nil {
			text = decimals(*v, m.decimals)
		}
		cells = append(cells, Cell{Text: text})
	}
	return cells
}

func datasetOrder(rows []ResultRow) map[string]int {
	order := map[string]int{}
	for _, r := range rows {
		if _, ok := order[r.Dataset]; !ok {
			order[r.Dataset] = len(order)
		}
	}
	return order
}

// ranked returns the table rows that compete. They share their cells with the table.
func ranked(rows []Row, of []ResultRow) []Row {
	var out []Row
	for i, r := range rows {
		if !of[i].Unranked {
			out = append(out, r)
		}
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
