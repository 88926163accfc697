package report

import (
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// SignificanceRow sets two systems beside each other in one metric.
type SignificanceRow struct {
	Dataset    string
	A, B       string // as a reader knows them: "SMLM-FT, lambda_eps 0.5"
	Seeds      int    // of A or B, whichever has more
	Comparison metrics.Comparison
}

// significanceNote says what the columns are.
const significanceNote = "Difference: A less B, of the numbers as printed, with its 95 % bootstrap interval. p: " +
	"two-sided, of paired bootstrap and of approximate randomisation over test sentences. Holm's p: the larger of " +
	"the two, corrected by Holm's step-down method for all comparisons of the same metric on the same data set in " +
	"this table; different: it is below .05. No interval, and a bootstrap p of 1: fewer than 5 test sentences in a " +
	"direction. Models trained again with another seed may differ too: these tests do not see that. Where the base " +
	"row, to which the others are compared, is the best by Mean, it was chosen on this same test set, which no " +
	"correction here accounts for."

// seedsNote says how several seeds are compared.
const seedsNote = "Of several seeds the figures are those of all their outputs at once; the outputs to one source are " +
	"drawn and exchanged together."

// tested is a comparison with its corrected p, and the metric it is of.
type tested struct {
	SignificanceRow
	p      float64
	metric *metrics.Metric
}

// Significance is the table of comparisons, in the order given, with the data set where there are
// several. A pair is called different in a metric where both tests say so, see metrics.Holm, over
// all comparisons of that metric on that data set: each metric and data set is a question of its
// own, but one asked of many systems finds differences by chance.
func Significance(rows []SignificanceRow, about About) *table.Table {
	all, used := make([]tested, len(rows)), map[string]bool{}
	families := map[[2]string][]int{}
	for i, r := range rows {
		all[i] = tested{SignificanceRow: r, metric: metrics.ColumnsOf(r.Comparison.Metric)[0]}
		used[r.Comparison.Metric] = true
		family := [2]string{r.Dataset, r.Comparison.Metric}
		families[family] = append(families[family], i)
	}
	for _, members := range families {
		some := make([]metrics.Comparison, len(members))
		for k, i := range members {
			some[k] = rows[i].Comparison
		}
		for k, p := range metrics.Holm(some) {
			all[members[k]].p = p
		}
	}
	s := significanceSheet()
	s.title = "Pairs of systems: which differences are more than chance."
	if len(firstSeen(rows, func(r *SignificanceRow) string { return r.Dataset })) > 1 {
		s.labels = append([]column[tested]{datasetColumn(s.dataset)}, s.labels...)
	} else if len(rows) > 0 && rows[0].Dataset != "" {
		s.title = "Pairs of systems on " + rows[0].Dataset + ": which differences are more than chance."
	}
	notes := append(about.of(sortedKeys(used)...).notes(), significanceNote)
	if anyOf(rows, func(r *SignificanceRow) bool { return r.Seeds > 1 }) {
		notes = append(notes, seedsNote)
	}
	return s.table(all, notes...)
}

func significanceSheet() sheet[tested] {
	// of is a figure as precise as the metric is printed.
	of := func(head string, v func(*metrics.Comparison) float64) column[tested] {
		return right(head, "", func(t *tested) string { return table.Decimals(v(&t.Comparison), t.metric.Decimals) })
	}
	probability := func(head string, v func(*tested) float64) column[tested] { return number(head, "", 4, v) }
	a := of("of A", func(c *metrics.Comparison) float64 { return c.A })
	b := of("of B", func(c *metrics.Comparison) float64 { return c.B })
	difference := right("difference", "", func(*tested) string { return "" })
	difference.cell = func(t *tested) table.Cell {
		return table.Signed(table.MinusText(a.cell(t).Text, b.cell(t).Text))
	}
	interval := right("95 % interval", "", func(*tested) string { return "" })
	interval.Column = interval.Split("low", "high")
	interval.cell = func(t *tested) table.Cell {
		low, high, n := t.Comparison.Low, t.Comparison.High, t.metric.Decimals
		return table.Cell{
			Text:  "[" + signed(low, n) + ", " + signed(high, n) + "]",
			Parts: []string{table.Decimals(low, n), table.Decimals(high, n)},
		}
	}
	return sheet[tested]{
		name: "significance", dataset: func(t *tested) string { return t.Dataset },
		labels: []column[tested]{
			merged("A", func(t *tested) string { return t.A }),
			merged("B", func(t *tested) string { return t.B }),
			left("metric", func(t *tested) string { return table.Flat(t.metric.Head) }),
		},
		figures: []column[tested]{
			a,
			b,
			difference,
			interval,
			probability("bootstrap\np", func(t *tested) float64 { return t.Comparison.PBootstrap }),
			probability("randomis.\np", func(t *tested) float64 { return t.Comparison.PRandomisation }),
			probability("Holm's\np", func(t *tested) float64 { return t.p }),
			left("verdict", func(t *tested) string {
				if t.p < metrics.SignificanceLevel {
					return "different"
				}
				return "not different"
			}),
		},
		apart: func(before, t *tested) bool {
			return before.Dataset != t.Dataset || before.A != t.A || before.B != t.B
		},
	}
}

// signed formats a difference with its sign.
func signed(v float64, n int) string {
	text := table.Decimals(v, n)
	if v > 0 && text != table.Absent && table.Decimals(-v, n) != text {
		return "+" + text
	}
	return text
}
