package report

import (
	"math"
	"slices"
	"sort"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// SignificanceRow sets two systems beside each other in one metric.
type SignificanceRow struct {
	Dataset    string
	A, B       string // as a reader knows them: "SMLM-FT, lambda_eps 0.5"
	Comparison metrics.Comparison
}

// significanceLevel is that of the verdicts, over all comparisons of a metric on a data set.
const significanceLevel = 0.05

// The verdicts.
const (
	verdictDifferent    = "different"
	verdictNotDifferent = "not different"
)

// significanceNote says what the columns are.
const significanceNote = "Difference: A less B, of the numbers as printed, with its 95 % bootstrap interval. p: two-sided, of paired bootstrap and of approximate randomisation over test sentences. " +
	"Holm's p: the larger of the two, corrected by Holm's step-down method for all comparisons of the same metric on the same data set in this table; different: it is below .05. " +
	"No interval, and a bootstrap p of 1: fewer than 5 test sentences in a direction. Models trained again with another seed may differ too: these tests do not see that. Where the base row, to which the others are compared, is the best by Mean, " +
	"it was chosen on this same test set, which no correction here accounts for."

// Significance is the table of comparisons, in the order given, with the data set where there are several. A pair is called different in a metric
// where both tests say so, at .05, after Holm's correction (1979) over all comparisons of that metric on that data set: each metric and data set is a
// question of its own, but one asked of many systems finds differences by chance.
func Significance(rows []SignificanceRow, about About) *Table {
	t := &Table{
		Name: "significance", Title: "Pairs of systems: which differences are more than chance.",
	}
	withData := len(firstSeen(rows, func(r SignificanceRow) string { return r.Dataset })) > 1
	if withData {
		t.Columns = []Column{{Head: "Data set", Merge: true}}
	} else if len(rows) > 0 && rows[0].Dataset != "" {
		t.Title = "Pairs of systems on " + rows[0].Dataset + ": which differences are more than chance."
	}
	t.Columns = append(t.Columns, Column{Head: "A", Merge: true}, Column{Head: "B", Merge: true}, Column{Head: "metric"})
	t.labels = len(t.Columns)
	for _, head := range []string{"of A", "of B", "difference", "95 % interval", "bootstrap\np", "randomis.\np", "Holm's\np"} {
		t.Columns = append(t.Columns, Column{Head: head, Align: Right})
	}
	t.Columns[t.labels+3] = t.Columns[t.labels+3].split("low", "high")
	t.Columns = append(t.Columns, Column{Head: "verdict"})
	corrected := corrected(rows)
	used := map[string]bool{}
	for i, r := range rows {
		c := r.Comparison
		used[c.Metric] = true
		m := metrics.ColumnsOf(c.Metric)[0]
		a, b := decimals(c.A, m.Decimals), decimals(c.B, m.Decimals)
		verdict := verdictNotDifferent
		if corrected[i] < significanceLevel {
			verdict = verdictDifferent
		}
		row := Row{
			Cells: []Cell{
				{Text: r.A},
				{Text: r.B},
				{Text: flat(m.Head)},
				{Text: a},
				{Text: b},
				signedCell(minusText(a, b)),
				{
					Text:  "[" + signed(c.Low, m.Decimals) + ", " + signed(c.High, m.Decimals) + "]",
					Parts: []string{decimals(c.Low, m.Decimals), decimals(c.High, m.Decimals)},
				},
				{Text: decimals(c.PBootstrap, 4)},
				{Text: decimals(c.PRandomisation, 4)},
				{Text: decimals(corrected[i], 4)},
				{Text: verdict},
			},
			Rule: i > 0 && (rows[i-1].Dataset != r.Dataset || rows[i-1].A != r.A || rows[i-1].B != r.B),
		}
		if withData {
			row.Cells = slices.Insert(row.Cells, 0, Cell{Text: r.Dataset})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append(about.of(sortedKeys(used)...).notes(), significanceNote)
	return t
}

// corrected returns the larger p of each comparison, corrected within its metric and data set.
func corrected(rows []SignificanceRow) []float64 {
	type family struct{ dataset, metric string }
	members := map[family][]int{}
	for i, r := range rows {
		f := family{r.Dataset, r.Comparison.Metric}
		members[f] = append(members[f], i)
	}
	out := make([]float64, len(rows))
	for _, of := range members {
		some := make([]SignificanceRow, len(of))
		for k, i := range of {
			some[k] = rows[i]
		}
		for k, p := range holm(some) {
			out[of[k]] = p
		}
	}
	return out
}

// holm returns the larger p of each comparison, corrected by Holm's method: the k-th smallest of m times m - k + 1, at least as large as those
// before it and at most 1. One that is not a number counts as 1.
func holm(rows []SignificanceRow) []float64 {
	p, order := make([]float64, len(rows)), make([]int, len(rows))
	for i, r := range rows {
		p[i], order[i] = max(r.Comparison.PBootstrap, r.Comparison.PRandomisation), i
		if math.IsNaN(p[i]) {
			p[i] = 1
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
	corrected, least := slices.Clone(p), 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(rows)-k)*p[i]))
		corrected[i] = least
	}
	return corrected
}

// signed formats a difference with its sign.
func signed(v float64, n int) string {
	text := decimals(v, n)
	if v > 0 && text != Absent && decimals(-v, n) != text {
		return "+" + text
	}
	return text
}
