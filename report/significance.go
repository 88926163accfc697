package report

import (
	"math"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// SignificanceRow compares two systems in one metric.
type SignificanceRow struct {
	Dataset    string
	A, B       string // display names: "SMLM-FT, lambda_eps 0.5"
	Seeds      int    // of A or B, whichever has more
	Resamples  int    // of each test; p is at least 1/(Resamples + 1); 0: unknown
	Comparison metrics.Comparison

	SignA, SignB string // signs of their flaws, see metrics.Signs
}

// significanceLegend and significanceNote explain the columns.
const (
	significanceLegend = "difference: A minus B, of the numbers as printed, with its 95 % bootstrap interval. All p are " +
		"two-sided. Holm's p corrects the larger one for all comparisons of a metric; below 0.05 the systems are called different."
	significanceNote = "The p-values are those of the paired bootstrap and of approximate randomisation over test sentences. " +
		"The sign ≤ means that no resample was as extreme; with this many resamples, no smaller p-value can be measured. " +
		"Holm's step-down method corrects for all comparisons of the same metric on the same data set in this table. The " +
		"tests do not see that a model trained with another seed may differ too."
	fewNote = "A comparison without an interval has a bootstrap p of 1: a direction has fewer than 5 test sentences."
)

// seedsNote says how several seeds are compared.
const seedsNote = "With several seeds, the numbers are computed from the outputs of all seeds together. The outputs for one " +
	"source are resampled and exchanged together."

// shortLegend explains the columns of the short table for LaTeX.
const shortLegend = "A minus B in each metric, of numbers rounded to the decimals shown. *: different, as the larger p of " +
	"two two-sided tests is below 0.05 after Holm's correction for all comparisons of the metric."

// mostRows is the maximum number of rows of the whole table in LaTeX, about a page. With more
// comparisons, LaTeX has one row per pair.
const mostRows = 50

// tested is a comparison with its corrected p and its metric.
type tested struct {
	SignificanceRow
	p      float64
	metric *metrics.Metric
}

// decimals returns the number of decimals. Metrics with two, such as those from 0 to 1, get one
// more than in other tables, where a small difference would be printed as 0.00.
func (t *tested) decimals() int {
	if t.metric.Decimals == 2 {
		return 3
	}
	return t.metric.Decimals
}

// Significance returns the table of comparisons in the given order, with the data set if there are
// several. A pair is called different in a metric if both tests agree after correction
// (metrics.Holm) for all comparisons of that metric on that data set. Each metric and data set
// counts as a separate question. The correction is needed because comparing many systems finds some
// differences by chance. The values of systems with a flaw are signed.
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
	s.title = "Significance of the differences between systems."
	if base := baseOf(rows); base != "" {
		s.labels, s.legend = s.labels[1:], []string{base}
	}
	if len(firstSeen(rows, func(r *SignificanceRow) string { return r.Dataset })) > 1 {
		s.labels = append([]column[tested]{datasetColumn(s.dataset)}, s.labels...)
	} else if len(rows) > 0 && rows[0].Dataset != "" {
		s.title = "Significance of the differences between systems on the " + rows[0].Dataset + " test set."
	}
	s.legend, s.signatures = append(s.legend, significanceLegend), about.of(sortedKeys(used)...)
	flaws := lists.Where(metrics.AllFlaws(), func(f *metrics.Flaw) bool {
		return anyOf(rows, func(r *SignificanceRow) bool { return strings.Contains(r.SignA+r.SignB, f.Sign) })
	})
	s.legend = append(s.legend, flawLegend(flaws, notRanked)...)
	s.about = about
	notes := append(flawRules(flaws), significanceNote)
	if anyOf(rows, func(r *SignificanceRow) bool { return math.IsNaN(r.Comparison.Low) }) {
		notes = append(notes, fewNote)
	}
	if anyOf(rows, func(r *SignificanceRow) bool { return r.Seeds > 1 }) {
		notes = append(notes, seedsNote)
	}
	t := s.table(all, notes...)
	if len(all) > mostRows {
		t.InLaTeX = pairs(s, all)
	}
	return t
}

// pairs returns the table with one row per pair and one column per metric.
func pairs(whole sheet[tested], all []tested) *table.Table {
	type pair struct {
		*tested
		of map[string]*tested // by metric
	}
	var rows []pair
	var used []string
	for i := range all {
		t := &all[i]
		if last := len(rows) - 1; last < 0 || whole.apart(rows[last].tested, t) {
			rows = append(rows, pair{t, map[string]*tested{}})
		}
		rows[len(rows)-1].of[t.metric.Key], used = t, lists.AddOnce(used, t.metric.Key)
	}
	s := sheet[pair]{
		name: whole.name, dataset: func(p *pair) string { return p.Dataset },
		legend: lists.Where(whole.legend, func(l string) bool { return l != significanceLegend }),
	}
	s.legend = append(s.legend, shortLegend)
	for _, c := range whole.labels[:len(whole.labels)-1] { // the last label is the metric
		label := column[pair]{Column: c.Column, cell: func(p *pair) table.Cell { return c.cell(p.tested) }}
		s.labels = append(s.labels, label)
	}
	sign := func(j int, of func(*pair) string) { // the table has no values of A or B to sign
		cell := s.labels[j].cell
		s.labels[j].cell = func(p *pair) table.Cell {
			c := cell(p)
			c.Sign = of(p)
			return c
		}
	}
	for j := range s.labels {
		switch s.labels[j].Head {
		case "A":
			sign(j, func(p *pair) string { return p.SignA })
		case "B":
			sign(j, func(p *pair) string { return p.SignB })
		}
	}
	for _, m := range metrics.ColumnsOf(used...) {
		s.numbers = append(s.numbers, metricColumn(m, func(p *pair) table.Cell {
			t := p.of[m.Key]
			if t == nil {
				return table.Cell{Text: table.Absent}
			}
			c := t.difference()
			if t.p < metrics.SignificanceLevel {
				c.Sign = "*"
			}
			return c
		}))
	}
	return s.table(rows)
}

// value formats a value of the metric.
func (t *tested) value(v float64) string { return table.Decimals(t.metric.Shown(v), t.decimals()) }

// difference returns the cell with the difference of the printed values, with its sign. CSV has the
// exact difference.
func (t *tested) difference() table.Cell {
	exact := t.metric.Shown(t.Comparison.A) - t.metric.Shown(t.Comparison.B)
	text := table.MinusText(t.value(t.Comparison.A), t.value(t.Comparison.B))
	return table.Cell{Text: text, Parts: []string{table.Exact(exact)}}
}

// baseOf returns a sentence that names system A of each data set. It returns "" if a data set has
// several As, or if there is only one B.
func baseOf(rows []SignificanceRow) string {
	base, others := map[string]string{}, map[string]bool{}
	var said []string
	for _, r := range rows {
		others[r.B] = true
		switch base[r.Dataset] {
		case "":
			base[r.Dataset] = r.A
			said = append(said, r.A+r.SignA+" on "+r.Dataset)
		case r.A:
		default:
			return ""
		}
	}
	if len(others) < 2 {
		return ""
	}
	if len(said) == 1 {
		said[0] = rows[0].A + rows[0].SignA
	}
	return "A: " + strings.Join(said, "; ") + "."
}

// probability returns the cell of a p-value. least says that p, before any correction, is the
// smallest value that this number of resamples can give. The cell then shows p, rounded up, as an
// upper bound.
func probability(p float64, resamples int, least bool) table.Cell {
	digits := 4
	if resamples > 0 {
		digits = int(math.Log10(float64(resamples + 1)))
	}
	if !least {
		return table.Cell{Text: table.Decimals(p, digits), Parts: []string{table.Exact(p)}}
	}
	unit := math.Pow10(digits)
	text := table.Decimals(min(1, math.Ceil(p*unit-1e-9)/unit), digits)
	return table.Cell{Text: "≤ " + text, Parts: []string{table.Exact(p), "yes"}}
}

// atLeast reports whether p is the smallest value that the row's number of resamples can give.
func (r *SignificanceRow) atLeast(p float64) bool {
	return r.Resamples > 0 && p*float64(r.Resamples+1) < 1+1e-9
}

func significanceSheet() sheet[tested] {
	// of returns a column of values with the signs of flaws.
	of := func(head string, value func(*tested) (v float64, sign string)) column[tested] {
		return column[tested]{Column: table.Column{Head: head, Align: table.Right}, cell: func(t *tested) table.Cell {
			v, sign := value(t)
			return table.Cell{Text: t.value(v), Parts: []string{table.Exact(t.metric.Shown(v))}, Sign: sign}
		}}
	}
	// p returns a column of p-values. bound returns the p before correction.
	p := func(head string, v, bound func(*tested) float64) column[tested] {
		return fields(head, func(t *tested) table.Cell {
			return probability(v(t), t.Resamples, t.atLeast(bound(t)))
		}, "", "at most")
	}
	bootstrap := func(t *tested) float64 { return t.Comparison.PBootstrap }
	randomisation := func(t *tested) float64 { return t.Comparison.PRandomisation }
	a := of("of A", func(t *tested) (float64, string) { return t.Comparison.A, t.SignA })
	b := of("of B", func(t *tested) (float64, string) { return t.Comparison.B, t.SignB })
	difference := fields("difference", (*tested).difference, "")
	interval := fields("95 % interval", func(t *tested) table.Cell {
		low, high, n := t.metric.Shown(t.Comparison.Low), t.metric.Shown(t.Comparison.High), t.decimals()
		return table.Cell{
			Text:  "[" + signed(low, n) + ", " + signed(high, n) + "]",
			Parts: []string{table.Exact(low), table.Exact(high)},
		}
	}, "low", "high")
	return sheet[tested]{
		name: "significance", dataset: func(t *tested) string { return t.Dataset },
		labels: []column[tested]{
			merged("A", func(t *tested) string { return t.A }),
			merged("B", func(t *tested) string { return t.B }),
			left("Metric", func(t *tested) string { return table.Flat(t.metric.Head) }),
		},
		numbers: []column[tested]{
			a,
			b,
			difference,
			interval,
			p("bootstrap\np", bootstrap, bootstrap),
			p("randomis.\np", randomisation, randomisation),
			p("Holm's\np", func(t *tested) float64 { return t.p }, func(t *tested) float64 {
				return max(bootstrap(t), randomisation(t))
			}),
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
