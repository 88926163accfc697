package figure

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
)

// By hand: 64 % of 400 sentences, 1.96 sqrt(.64 * .36 / 400) = .04704. One seed has that bar, two
// have their standard deviation.
func TestLambdaEpsBars(t *testing.T) {
	row := func(eps float64, seed uint64, accuracy float64) report.AttributionRow {
		return report.AttributionRow{
			Dataset: "market", Method: policy.ExplainableAttention, LambdaEps: &eps, Seed: seed, Sentences: 400,
			Accuracy: accuracy, CharBLEU: 100,
		}
	}
	lines := epsLines([]report.AttributionRow{row(.5, 1, 64), row(1, 1, 60), row(1, 2, 62)})
	if len(lines) != 1 || len(lines[0].ours.accuracy) != 2 {
		t.Fatalf("lines %+v", lines)
	}
	accuracy := lines[0].ours.accuracy
	if got := accuracy[0].bar; math.Abs(got-4.704) > 1e-9 {
		t.Errorf("one seed: %v, want 4.704", got)
	}
	if got := accuracy[1]; math.Abs(got.bar-math.Sqrt2) > 1e-9 || got.y != 61 || got.x != 1 {
		t.Errorf("two seeds: %v, want 61 with the square root of 2", got)
	}
	if got := lines[0].ours.sbleu[0].bar; got != 0 {
		t.Errorf("of 100 %%: %v, want 0", got)
	}
	if halfWidth(50, 0) != 0 {
		t.Error("an interval of no sentence")
	}
	if f, err := LambdaEps([]report.AttributionRow{row(.5, 1, 64)}); f != nil || err != nil {
		t.Errorf("one value of lambda_eps: %v, %v", f, err)
	}
}

// Methods and settings have lines of their own, named by what tells them apart. Our data sets of
// the paper's names have its curve, for the paper's method.
func TestLambdaEpsLines(t *testing.T) {
	eps := 0.5
	row := func(dataset string, method policy.Method, con float64) report.AttributionRow {
		return report.AttributionRow{Dataset: dataset, Method: method, LambdaEps: &eps, LambdaCon: con}
	}
	lines := epsLines([]report.AttributionRow{
		row("yelp", policy.ExplainableAttention, 1), row("yelp", policy.VanillaAttention, 0),
		row("market", policy.ExplainableAttention, 1), row("market", policy.ExplainableAttention, 2),
	})
	want := map[string]bool{
		"yelp, explainable attention": true, "yelp, vanilla attention": false,
		"market, lambda_con 1": false, "market, lambda_con 2": false,
	}
	if len(lines) != len(want) {
		t.Errorf("%d lines, want %d", len(lines), len(want))
	}
	for _, l := range lines {
		paper, known := want[l.name]
		if !known || paper != (len(l.paper.sbleu) > 0) {
			t.Errorf("line %q, with the paper's: %v", l.name, len(l.paper.sbleu) > 0)
		}
	}
}

// No percentage is stretched beyond what its noise allows.
func TestLambdaEpsAxes(t *testing.T) {
	for _, panel := range figures(t)["lambda_eps"].panels {
		if panel.Y.Max-panel.Y.Min < leastPercent {
			t.Errorf("an axis from %v to %v", panel.Y.Min, panel.Y.Max)
		}
	}
}
