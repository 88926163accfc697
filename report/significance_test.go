package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
)

func compare(p float64) SignificanceRow {
	return SignificanceRow{
		Dataset: "market", A: "one", B: "other", Resamples: 10_000,
		Comparison: metrics.Comparison{
			Metric: "tst", A: 60, B: 55, Difference: 5, Low: 2, High: 8, PBootstrap: p,
		},
	}
}

func isVerdict(c Column) bool { return c.Head == "verdict" }

// TestSignificanceOverSeeds checks what the table concludes from the tests. If a trained system
// has one seed, only its outputs can be called different, and the legend begins with a warning.
// With several seeds, the test over seeds counts too. A row without a significant difference
// shows the smallest difference that the tests would have found, or "none" if it exceeds 100.
// This is 2.8 standard errors, and a standard error is the width of the interval, here 6,
// divided by 3.92.
func TestSignificanceOverSeeds(t *testing.T) {
	once, seeded, far := compare(.02), compare(.02), compare(.02)
	once.OneSeed = true
	seeded.Comparison.OverSeeds([]float64{50, 70}, []float64{55})
	far.Comparison.OverSeeds([]float64{59.9, 60.1}, []float64{55})
	for _, c := range []struct {
		row       SignificanceRow
		want, has string
	}{
		{once, "|0.0200|0.0200|outputs differ", "Warning: a system with one training seed"},
		{far, "|0.0200|0.0011|0.0200|different", "seeds p: "},
		{seeded, "|0.0200|0.7048|0.7048|not different|none", "none: "},
		{compare(.5), "|0.5000|0.5000|not different|4.3", "detectable: "},
	} {
		made := Significance([]SignificanceRow{c.row}, About{})
		if got := lines(made)[0]; !strings.HasSuffix(got, c.want) {
			t.Errorf("row %s, want %s", got, c.want)
		}
		if !strings.Contains(strings.Join(made.Legend, "\n"), c.has) || c.row.OneSeed && !strings.HasPrefix(made.Legend[0], c.has) {
			t.Errorf("legend %q lacks %q", made.Legend, c.has)
		}
	}
}

// TestFlawsOverSeeds checks that with several seeds, the legend says that one seed is enough for a
// sign.
func TestFlawsOverSeeds(t *testing.T) {
	row := compare(.02)
	row.SignB, row.Seeds = "‖", 2
	made := Significance([]SignificanceRow{row}, About{})
	if want := "‖: TST% below 20 in one seed or more, not ranked."; !slices.Contains(made.Legend, want) {
		t.Errorf("the legend is %q", made.Legend)
	}
}

// TestSignificanceSignsFlaws checks that if a system's outputs have a flaw, the flaw's sign, such
// as ‡, follows the system's values, and that the notes explain the sign.
func TestSignificanceSignsFlaws(t *testing.T) {
	row := compare(.02)
	row.SignB = "‡§¶‖"
	table := Significance([]SignificanceRow{row}, About{})
	if d := cmp.Diff([]string{"TST%↑|60.0|55.0‡§¶‖|+5.0|[+2.0, +8.0]|0.0200|0.0200|different"}, lines(table)); d != "" {
		t.Error(d)
	}
	all := strings.Join(said(table), "\n")
	for _, f := range metrics.AllFlaws() {
		if !strings.Contains(all, f.Sign+": "+f.Name+", not ranked.") || !strings.Contains(all, f.Rule) {
			t.Errorf("%s is not explained:\n%s", f.Sign, all)
		}
	}
	plain := strings.Join(said(Significance([]SignificanceRow{compare(.02)}, About{})), "\n")
	if strings.ContainsAny(plain, "‡§¶‖") {
		t.Errorf("the notes have signs of flaws that no system has:\n%s", plain)
	}
}

// TestSignificance checks that systems are called different only if both tests agree after Holm's
// correction. For example, p = .03 is significant alone, but not among three comparisons.
func TestSignificance(t *testing.T) {
	verdicts := func(rows ...SignificanceRow) []string {
		table := Significance(rows, About{})
		var out []string
		for _, r := range table.Rows {
			out = append(out, r.Cells[slices.IndexFunc(table.Columns, isVerdict)].Text)
		}
		return out
	}
	if got := verdicts(compare(.02)); !slices.Equal(got, []string{"different"}) {
		t.Errorf("alone: %v", got)
	}
	got := verdicts(compare(.02), compare(.5), compare(.001))
	if !slices.Equal(got, []string{"different", "not different", "different"}) {
		t.Errorf("among three: %v", got) // corrected p: .001 x 3, .02 x 2 = .04, .5
	}
	got = verdicts(compare(.03), compare(.5), compare(.001))
	if !slices.Equal(got, []string{"not different", "not different", "different"}) {
		t.Errorf("among three: %v", got) // corrected p: .03 x 2 = .06
	}
	other, elsewhere := compare(.5), compare(.5)
	other.Comparison.Metric, elsewhere.Dataset = "s_bleu", "another"
	if got := verdicts(compare(.03), other, elsewhere); !slices.Equal(got, []string{
		"different",
		"not different", "not different",
	}) {
		t.Errorf("with another metric and another data set: %v", got)
	}
	seeds := compare(.0001)
	seeds.Comparison.PSeeds = .06
	if got := verdicts(seeds); !slices.Equal(got, []string{"not different"}) {
		t.Errorf("one test: %v", got)
	}
	table := Significance([]SignificanceRow{compare(.02)}, About{})
	if d := cmp.Diff([]string{"TST%↑|60.0|55.0|+5.0|[+2.0, +8.0]|0.0200|0.0200|different"}, lines(table)); d != "" {
		t.Error(d)
	}
	if heads(table) != "Metric,of A,of B,A − B,95 % interval,bootstrap p,Holm's p,verdict" ||
		!strings.Contains(table.Title,
			"on the market test set") {
		t.Errorf("%q: %s", table.Title, heads(table))
	}
}

// TestSignificanceOfPrinted checks that the difference is computed from the printed numbers: 60.04
// - 55.06 is 4.98, but 60.0 - 55.1 is 4.9.
func TestSignificanceOfPrinted(t *testing.T) {
	row := compare(.02)
	row.Comparison.A, row.Comparison.B, row.Comparison.Difference = 60.04, 55.06, 4.98
	if got := lines(Significance([]SignificanceRow{row}, About{}))[0]; !strings.Contains(got, "|60.0|55.1|+4.9|") {
		t.Error(got)
	}
	row.Comparison.B = math.NaN()
	if got := lines(Significance([]SignificanceRow{row}, About{}))[0]; !strings.Contains(got, "|60.0|–|–|") {
		t.Error(got)
	}
}

func TestSigned(t *testing.T) {
	for v, want := range map[float64]string{1.26: "+1.3", -1.26: "-1.3", 0: "0.0", .04: "0.0", -.04: "0.0"} {
		if got := signed(v, 1); got != want {
			t.Errorf("signed(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestLeastP checks how p is printed if no resample is as extreme as the observed difference. The
// cell shows an upper bound, rounded up: 1/1001 becomes ≤ 0.001. Holm's correction multiplies it by
// three here, which gives ≤ 0.003.
func TestLeastP(t *testing.T) {
	row := func(b string, p float64) SignificanceRow {
		r := compare(p)
		r.B, r.Resamples = b, 1000
		return r
	}
	least := 1. / 1001
	table := Significance([]SignificanceRow{row("x", least), row("y", .012), row("z", .5)}, About{})
	want := []string{
		"x|TST%↑|60.0|55.0|+5.0|[+2.0, +8.0]|≤ 0.001|≤ 0.003|different|–",
		"y|TST%↑|60.0|55.0|+5.0|[+2.0, +8.0]|0.012|0.024|different|–",
		"z|TST%↑|60.0|55.0|+5.0|[+2.0, +8.0]|0.500|0.500|not different|4.3",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if table.Legend[0] != "A: one." || slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Head == "A" }) {
		t.Errorf("system A is not only in the legend: %q, %s", table.Legend, heads(table))
	}
	for format, want := range map[string]string{
		"latex": `$\leq$ 0.001`, "markdown": "| ≤ 0.001 |", "html": ">≤ 0.001<", "text": "≤ 0.001", "csv": ",0.000999000999000999,yes,",
	} {
		var b strings.Builder
		if err := table.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %q (%v):\n%s", format, want, err, b.String())
		}
	}
}

// manyComparisons compares one system with 30 others in three metrics. One of the 30 is not
// compared in one of the metrics, and the outputs of another have a flaw.
func manyComparisons() (rows []SignificanceRow) {
	for i := range 30 {
		for k, key := range []string{"tst", "s_bleu", "naturalness"} {
			if i == 0 && k == 1 {
				continue
			}
			r := compare([]float64{1e-9, .5, 1e-9}[k])
			r.A, r.B = "SMLM (guided, lambda_con 4, lambda_eps 0.5)", fmt.Sprintf("SMLM-G (copied, lambda_con %d, lambda_eps 0.5)", i)
			if r.Comparison.Metric = key; key == "naturalness" {
				r.Comparison.A, r.Comparison.B = .6, .55
			}
			if i == 1 {
				r.SignB = "‡"
			}
			rows = append(rows, r)
		}
	}
	return rows
}
