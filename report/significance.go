package report

import (
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// SignificanceRow compares two systems in one metric.
type SignificanceRow struct {
	Dataset    string
	A, B       string // display names: "SMLM-FT (lambda_eps 0.5)"
	Seeds      int    // number of seeds of A or of B, whichever is larger
	OneSeed    bool   // A or B was trained with only one seed, so the tests do not cover chance in training
	Sentences  int    // number of test sentences, or 0 if unknown
	Resamples  int    // resamples per test; the smallest possible p is 1/(Resamples + 1)
	Comparison metrics.Comparison

	SignA, SignB string // signs of the systems' flaws, see metrics.Signs
}

// OneSeedLegend warns that the tests do not cover chance in training, because a system was trained
// with only one seed.
const OneSeedLegend = "Warning: a system with one training seed is compared, so the tests know only the choice of test " +
	"sentences. Where \"outputs differ\", these outputs differ by more than that, but another seed may differ as much. " +
	"Only several seeds can show that systems differ."

// These texts explain the columns.
const (
	significanceLegend = "A − B: the difference of the numbers as printed, positive if A has more, with its 95 % bootstrap " +
		"interval over test sentences: the differences that the bootstrap does not reject. All p are two-sided. Holm's p " +
		"corrects the largest one for all comparisons of a metric; below 0.05 the systems are called different."
	seedsLegend      = "seeds p: a t test over test sentences and seeds."
	detectableLegend = "detectable: the smallest true difference that the tests find with a probability of 80 %, before " +
		"Holm's correction."
	noneLegend     = "none: not even the largest possible difference."
	twoSeedsLegend = "Warning: with two seeds that happen to agree, the test over seeds calls equal systems different in up " +
		"to 12 % of cases, not 5 %. Three seeds or more are safer."
	significanceNote = "The bootstrap's p is that of a paired bootstrap over test sentences. " +
		"The sign ≤ means that no resample was as extreme; with this many resamples, no smaller p-value can be measured. " +
		"Holm's step-down method corrects for all comparisons of the same metric on the same data set in this table."
	fewNote = "A comparison without an interval has a bootstrap p of 1: a direction has fewer than 5 test sentences."
)

// seedsNote explains how systems with several seeds are compared.
const seedsNote = "With several seeds, the numbers are computed from the outputs of all seeds together, so they may " +
	"differ slightly from the means over seeds in other tables. The outputs for one " +
	"source are resampled together. The t test adds the variance over seeds to that of the " +
	"bootstrap (degrees of freedom by Welch). Systems with the same seeds are compared seed by seed."

// The type tested is a comparison together with its p-value after the correction for many
// comparisons.
type tested struct {
	SignificanceRow
	p      float64
	metric *metrics.Metric
}

// different reports whether the tests call the systems different.
func (t *tested) different() bool { return t.p < metrics.SignificanceLevel }

// decimals returns the number of decimals to print. Metrics that have two decimals in other tables
// get three here, because a small difference would be printed as 0.00.
func (t *tested) decimals() int {
	if t.metric.Decimals == 2 {
		return 3
	}
	return t.metric.Decimals
}

// Significance returns the table of comparisons in the given order. It has a column for the data
// set if there are several. Two systems are called different in a metric if all tests agree after
// Holm's correction (metrics.Holm), which is needed because among many comparisons, some differ by
// chance. The correction counts the comparisons in the same metric on the same data set. If a
// system's outputs have a flaw, its sign, such as ‡, follows the system's values.
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
	several := slices.ContainsFunc(rows, func(r SignificanceRow) bool { return r.Comparison.PSeeds > 0 })
	same := slices.ContainsFunc(all, func(t tested) bool { return !t.different() })
	t := &table.Table{
		Name: "significance", Title: "Significance of the differences between systems.", Settings: about.Settings(),
		Columns: comparisonColumns, Labels: 4, Signatures: signatureLines(about.of(sortedKeys(used)...)),
	}
	for i := range all {
		row := table.Row{Dataset: all[i].Dataset, Rule: i > 0 && all[i].pair() != all[i-1].pair()}
		row.Cells = append([]table.Cell{{Text: all[i].Dataset}, {Text: all[i].A}, {Text: all[i].B}}, all[i].cells()...)
		t.Rows = append(t.Rows, row)
	}
	flaws := lists.Filter(metrics.AllFlaws(), func(f *metrics.Flaw) bool {
		return slices.ContainsFunc(rows, func(r SignificanceRow) bool {
			return strings.Contains(r.SignA+r.SignB, f.Sign)
		})
	})
	t.Notes = slices.Concat(about.Notes, flawRules(flaws), significanceNotes(rows))
	if !same {
		withoutColumn(t, len(t.Columns)-1)
	}
	if !several {
		withoutColumn(t, slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Head == seedsHead }))
	}
	namePairs(t, rows)
	if slices.ContainsFunc(rows, func(r SignificanceRow) bool { return r.OneSeed }) {
		t.Legend = append([]string{OneSeedLegend}, t.Legend...)
	}
	if several && slices.ContainsFunc(rows, func(r SignificanceRow) bool { return r.Seeds == 2 }) {
		t.Legend = append(t.Legend, twoSeedsLegend)
	}
	t.Legend = append(t.Legend, significanceLegend)
	if several {
		t.Legend = append(t.Legend, seedsLegend)
	}
	if same {
		t.Legend = append(t.Legend, detectableLegend)
	}
	if slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Cells[len(r.Cells)-1].Text == noDifference }) {
		t.Legend = append(t.Legend, noneLegend)
	}
	overSeeds := slices.ContainsFunc(rows, func(r SignificanceRow) bool { return r.Seeds > 1 })
	t.Legend = append(t.Legend, flawLegend(flaws, notRanked(overSeeds))...)
	return t
}

// namePairs moves names from the rows to the legend or the title, if possible. The legend names
// system A if baseOf returns a sentence, and both systems if all rows compare the same pair. The
// title names the data set if there is only one. The columns of these names are removed.
func namePairs(t *table.Table, rows []SignificanceRow) {
	if base := baseOf(rows); base != "" {
		t.Legend = []string{base}
		withoutColumn(t, 1)
	} else if all := lists.AddOnce(nil, lists.Map(rows, func(r SignificanceRow) [3]string {
		return [3]string{r.Dataset, r.A + r.SignA, r.B + r.SignB}
	})...); len(all) == 1 {
		t.Legend = []string{"A: " + all[0][1] + ". B: " + all[0][2] + "."}
		withoutColumn(t, 2)
		withoutColumn(t, 1)
	}
	datasets := lists.AddOnce(nil, lists.Map(rows, func(r SignificanceRow) string { return r.Dataset })...)
	if len(datasets) > 1 {
		return
	}
	withoutColumn(t, 0)
	if len(datasets) == 1 && datasets[0] != "" {
		t.Title = "Significance of the differences between systems on the " + datasets[0] + " test set"
		if n := rows[0].Sentences; n > 0 {
			t.Title += " (" + table.Thousands(n) + " " + wording.Plural(n, "sentence") + ")"
		}
		t.Title += "."
	}
}

// significanceNotes returns notes that explain the numbers.
func significanceNotes(rows []SignificanceRow) []string {
	notes := []string{significanceNote}
	if slices.ContainsFunc(rows, func(r SignificanceRow) bool { return math.IsNaN(r.Comparison.Low) }) {
		notes = append(notes, fewNote)
	}
	if slices.ContainsFunc(rows, func(r SignificanceRow) bool { return r.Seeds > 1 }) {
		notes = append(notes, seedsNote)
	}
	return notes
}

// comparisonColumns lists the columns of the table. The first three contain the data set and the
// two systems.
var comparisonColumns = func() []table.Column {
	number := func(head string) table.Column { return table.Column{Head: head, Align: table.Right} }
	return []table.Column{
		{Head: labels[Dataset].head, Merge: true},
		{Head: "A", Merge: true},
		{Head: "B", Merge: true},
		{Head: "Metric"},
		number("of A"), number("of B"),
		{Head: "A − B", Align: table.Right, Parts: []string{"difference"}},
		number("95 % interval").Split("low", "high"),
		number("bootstrap\np").Split("", "at most"), number(seedsHead),
		number("Holm's\np").Split("", "at most"),
		{Head: "verdict"},
		number("detectable"),
	}
}()

// seedsHead is the head of the column with the p of the test over seeds.
const seedsHead = "seeds\np"

// noDifference stands in the column "detectable" if the tests could not even find the largest
// possible difference.
const noDifference = "none"

// pair identifies the data set and the two systems.
func (t *tested) pair() [3]string { return [3]string{t.Dataset, t.A, t.B} }

// cells returns the cells of a row after those for the data set and the systems.
func (t *tested) cells() []table.Cell {
	value := func(v float64, sign string) table.Cell {
		return table.Cell{Text: t.value(v), Parts: []string{table.Exact(t.metric.Printed(v))}, Sign: sign}
	}
	// ofTest returns the cell for a p-value. uncorrected is the value before Holm's correction.
	ofTest := func(p, uncorrected float64) table.Cell {
		return probability(p, t.Resamples, t.atLeast(uncorrected))
	}
	c, verdict := &t.Comparison, "not different"
	seeds, detectable := table.Cell{Text: table.Absent}, table.Cell{Text: table.Absent}
	if c.PSeeds > 0 {
		seeds = probability(c.PSeeds, t.Resamples, false)
		if strings.Trim(seeds.Text, "0.") == "" {
			seeds.Text = "< " + seeds.Text[:len(seeds.Text)-1] + "1"
		}
	}
	switch {
	case !t.different():
		detectable = value(c.Detectable(), "")
		if most := t.metric.Most; most > 0 && t.metric.Printed(c.Detectable()) > most {
			detectable.Text = noDifference
		}
	case t.OneSeed:
		verdict = "outputs differ"
	default:
		verdict = "different"
	}
	low, high, n := t.metric.Printed(c.Low), t.metric.Printed(c.High), t.decimals()
	return []table.Cell{
		headOf(t.metric),
		value(c.A, t.SignA), value(c.B, t.SignB), t.difference(),
		{Text: "[" + signed(low, n) + ", " + signed(high, n) + "]", Parts: []string{table.Exact(low), table.Exact(high)}},
		ofTest(c.PBootstrap, c.PBootstrap), seeds,
		ofTest(t.p, c.P()),
		{Text: verdict},
		detectable,
	}
}

// withoutColumn removes column j from a table.
func withoutColumn(t *table.Table, j int) {
	if j < t.Labels {
		t.Labels--
	}
	t.Columns = slices.Delete(slices.Clone(t.Columns), j, j+1)
	for i := range t.Rows {
		t.Rows[i].Cells = slices.Delete(slices.Clone(t.Rows[i].Cells), j, j+1)
	}
}

// value formats a value of the metric.
func (t *tested) value(v float64) string { return table.Decimals(t.metric.Printed(v), t.decimals()) }

// difference returns the cell with the signed difference of the printed values. The cell's CSV
// field has the difference of the exact values.
func (t *tested) difference() table.Cell {
	exact := t.metric.Printed(t.Comparison.A) - t.metric.Printed(t.Comparison.B)
	text := table.MinusText(t.value(t.Comparison.A), t.value(t.Comparison.B))
	return table.Cell{Text: text, Parts: []string{table.Exact(exact)}}
}

// baseOf returns a sentence that names the system A of each data set. It returns "" if the rows of
// a data set have different systems A, or if all rows have the same system B.
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

// probability returns the cell for a p-value. least is set if p, before Holm's correction, is the
// smallest value that this number of resamples can give. The true p may then be smaller, so the
// cell shows "≤" and p rounded up.
func probability(p float64, resamples int, least bool) table.Cell {
	digits := int(math.Log10(float64(resamples + 1)))
	if !least {
		return table.Cell{Text: table.Decimals(p, digits), Parts: []string{table.Exact(p)}}
	}
	unit := math.Pow10(digits)
	text := table.Decimals(min(1, math.Ceil(p*unit-1e-9)/unit), digits)
	return table.Cell{Text: "≤ " + text, Parts: []string{table.Exact(p), "yes"}}
}

// atLeast reports whether p is the smallest value that this number of resamples can give.
func (r *SignificanceRow) atLeast(p float64) bool {
	return p*float64(r.Resamples+1) < 1+1e-9
}

// The function signed formats a difference with a plus or minus sign.
func signed(v float64, n int) string {
	text := table.Decimals(v, n)
	if v > 0 && text != table.Absent && table.Decimals(-v, n) != text {
		return "+" + text
	}
	return text
}
