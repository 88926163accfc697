package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

func compare(pBootstrap, pRandomisation float64) SignificanceRow {
	return SignificanceRow{
		Dataset: "market", A: "one", B: "other",
		Comparison: metrics.Comparison{
			Metric: "tst", A: 60, B: 55, Difference: 5, Low: 2, High: 8, PBootstrap: pBootstrap,
			PRandomisation: pRandomisation,
		},
	}
}

// Both tests must say so after correction: .02 alone is different, but not among three; one of the
// two tests does not suffice.
func TestSignificance(t *testing.T) {
	verdicts := func(rows ...SignificanceRow) []string {
		table := Significance(rows, About{})
		var out []string
		for _, r := range table.Rows {
			out = append(out, r.Cells[len(r.Cells)-1].Text)
		}
		return out
	}
	if got := verdicts(compare(.02, .01)); !slices.Equal(got, []string{"different"}) {
		t.Errorf("alone: %v", got)
	}
	got := verdicts(compare(.02, .01), compare(.5, .5), compare(.001, .002))
	if !slices.Equal(got, []string{"different", "not different", "different"}) {
		t.Errorf("among three: %v", got) // .002 x 3, .02 x 2 = .04, .5
	}
	got = verdicts(compare(.02, .03), compare(.5, .5), compare(.001, .002))
	if !slices.Equal(got, []string{"not different", "not different", "different"}) {
		t.Errorf("among three: %v", got) // .03 x 2 = .06
	}
	other, elsewhere := compare(.5, .5), compare(.5, .5)
	other.Comparison.Metric, elsewhere.Dataset = "s_bleu", "another"
	if got := verdicts(compare(.03, .03), other, elsewhere); !slices.Equal(got, []string{
		"different",
		"not different", "not different",
	}) {
		t.Errorf("beside another metric and another data set: %v", got)
	}
	if got := verdicts(compare(.0001, .06)); !slices.Equal(got, []string{"not different"}) {
		t.Errorf("one test: %v", got)
	}
	table := Significance([]SignificanceRow{compare(.02, .01)}, About{})
	if d := cmp.Diff([]string{"one|other|TST%|60.0|55.0|+5.0|[+2.0, +8.0]|0.0200|0.0100|0.0200|different"}, lines(table)); d != "" {
		t.Error(d)
	}
	if heads(table) != "A,B,metric,of A,of B,difference,95 % interval,bootstrap p,randomis. p,Holm's p,verdict" ||
		!strings.Contains(table.Title,
			"on market") {
		t.Errorf("%q: %s", table.Title, heads(table))
	}
}

// What is printed agrees: 60.04 - 55.06 is 4.98, but 60.0 - 55.1 is 4.9.
func TestSignificanceOfPrinted(t *testing.T) {
	row := compare(.02, .01)
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

// Means and deviations by hand: 60, 62, 64 have mean 62 and deviation 2; a seed that has collapsed
// keeps its group from being ranked.
func TestSeedMeans(t *testing.T) {
	row := func(system string, seed uint64, tst, mean, share float64) ResultRow {
		return ResultRow{
			Dataset: "market", System: system, Seed: seed,
			Metrics: scores(tst, -1, 50, .8, mean, share, .1, 10, 10, 0, 0),
		}
	}
	rows := []ResultRow{
		row("SMLM", 1, 60, 70, .1), row("SMLM-FT", 1, 95, 90, .1), row("SMLM", 2, 62, 71, .3),
		row("SMLM-FT", 2, 97, 91, .9), row("SMLM", 3, 64, 72, .2), row("SMLM-G", 1, 50, 60, .1),
		row("Tag", 0, 88, 73, .1),
	}
	rows[6].Published = true
	table := SeedMeans(rows, About{Seeds: []uint64{1, 2, 3}})
	if got, want := heads(table), "System,n,TST%,s-BLEU,Nat.,Mean,commonest new word"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM|3|62.0 ± 2.0|50.0 ± 0.0|0.800 ± 0.000|71.00 ± 1.00|.30",
		"SMLM-FT‡|2|96.0 ± 1.4|50.0 ± 0.0|0.800 ± 0.000|90.50 ± 0.71‡|.90",
		"SMLM-G|1|50.0|50.0|0.800|60.00|.10",
		"Tag|1|88.0|50.0|0.800|73.00|.10",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	var m []Mark
	for _, r := range table.Rows[:4] {
		m = append(m, r.Cells[5].Mark)
	}
	if !slices.Equal(m, []Mark{Second, Plain, Plain, Best}) {
		t.Errorf("marks of Mean %v", m)
	}
	if notes := strings.Join(said(table), "\n"); !strings.Contains(notes, "SMLM-FT (seed 2)") || strings.Contains(notes,
		"SMLM-FT (seed 1)") {
		t.Errorf("notes:\n%s", notes)
	}
	// Points of a sweep are groups of their own.
	rows[2].Axes = []Axis{{Key: "lambda_eps", Value: "0.5"}}
	if got := len(SeedMeans(rows, About{}).Rows); got != 5 {
		t.Errorf("%d rows, want 5", got)
	}
}

func TestIntervals(t *testing.T) {
	rows := []IntervalRow{
		{
			ResultRow{Dataset: "market", System: "Tag", Published: true},
			map[string]metrics.Interval{
				"mean": {Value: 70.004, Low: 69, High: 71.5}, "own": {Value: 1, Low: 0, High: 2},
			},
		},
		{
			ResultRow{Dataset: "market", System: "SMLM", Metrics: constructed()[0].Metrics},
			map[string]metrics.Interval{
				"s_bleu": {Value: 60.81, Low: 58.94, High: 62.7}, "mean": {Value: 79, Low: 78, High: 80},
			},
		},
	}
	table := Intervals(rows, About{})
	if got, want := heads(table), "System,s-BLEU,Mean,own,commonest new word"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM‡|60.8 [58.9, 62.7]|79.00 [78.00, 80.00]‡|–|.98 / .98",
		"Tag|–|70.00 [69.00, 71.50]|1.000 [0.000, 2.000]|–",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if rows[0].System != "Tag" {
		t.Error("the caller's rows are in another order")
	}
}

// The paper's two systems stand in its order, whichever is A; other pairs have columns of their
// own.
func TestHuman(t *testing.T) {
	rows := studyHuman()
	rows[1].A, rows[1].B, rows[1].ABetter, rows[1].BBetter = "SMLM-FT", "Tag", 120, 10
	table := Human(rows, About{})
	if got, want := heads(table), "Data set,Direction,A,B,A better,B better,both good,both bad,no "+
		"agreement,kappa,annotators,sentences"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"snli|entailment to contradiction|Tag|SMLM|15.5|51|15|12.5|6|0.43|3|200",
		"snli|contradiction to entailment|Tag|SMLM-FT|5.1|60.9|15.2|12.7|6.1|–|3|197",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if got := len(paper.Beside(table).Rows); got != 6 {
		t.Errorf("%d rows with the paper's, want 6", got)
	}
	rows = rows[:1]
	rows[0].A = "DirR"
	if table = Human(rows, About{}); paper.Beside(table) != table || heads(table) != "Data set,Direction,DirR "+
		"better,SMLM better,both good,both bad,no agreement,kappa,annotators,sentences" {
		t.Errorf("another pair: columns %s", heads(paper.Beside(table)))
	}
	if got := percent(0, 0); got != Absent {
		t.Errorf("percent of nothing is %q", got)
	}
}
