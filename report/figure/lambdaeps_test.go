package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/report"
)

// TestLambdaEpsBars checks the lengths of error bars. With one seed and 400 sentences, 64 % has a
// bar of 1.96 sqrt(.64 * .36 / 400) = .04704. With two seeds, the bar is the standard deviation
// over the seeds.
func TestLambdaEpsBars(t *testing.T) {
	at := func(eps, seed string, accuracy float64) *report.Record {
		return mask("market", "explainable_attention", "10", eps, seed, accuracy, 100)
	}
	lines := epsLines([]*report.Record{at("0.5", "1", 64), at("1", "1", 60), at("1", "2", 62)})
	if len(lines) != 1 || len(lines[0].ours.accuracy) != 2 {
		t.Fatalf("lines %+v", lines)
	}
	accuracy := lines[0].ours.accuracy
	if got := accuracy[0].bar; math.Abs(got-4.704) > 1e-9 {
		t.Errorf("the bar of one seed is %v, want 4.704", got)
	}
	if got := accuracy[1]; math.Abs(got.bar-math.Sqrt2) > 1e-9 || got.y != 61 || got.x != 1 {
		t.Errorf("the value of two seeds is %v, want 61 and a bar of sqrt 2", got)
	}
	if got := lines[0].ours.sbleu[0].bar; got != 0 {
		t.Errorf("the bar of 100 %% is %v, want 0", got)
	}
	if halfWidth(50, 0) != 0 {
		t.Error("no sentences have an interval")
	}
	if f, err := LambdaEps([]*report.Record{at("0.5", "1", 64)}); f != nil || err != nil {
		t.Errorf("one value of lambda_eps gives the figure %v, error %v", f, err)
	}
}

// TestLambdaEpsLines checks that each method and setting has its own line, and that the line's name
// contains what distinguishes the line from the others. The paper's curve is shown only for the
// paper's data sets and the paper's method. Records without lambda_eps, records of other methods,
// and records of other tables have no line.
func TestLambdaEpsLines(t *testing.T) {
	at := func(dataset, method, con string, settings ...string) *report.Record {
		r := mask(dataset, method, con, "0.5", "1", 60, 60)
		r.Axes = append(r.Axes, record("", nil, settings...).Axes...)
		return r
	}
	other := mask("market", "explainable_attention", "1", "–", "1", 60, 60)
	lines := epsLines([]*report.Record{
		at("yelp", "explainable_attention", "1"), at("yelp", "vanilla_attention", "0"),
		at("market", "explainable_attention", "1"), at("market", "explainable_attention", "2", "dropout", "0.5"),
		other, at("market", "gradients", "1"), system("SMLM", 60, 60, "lambda_eps", "0.5"),
	})
	want := map[string]bool{
		"yelp, explainable attention": true, "yelp, vanilla attention": false,
		"market, lambda_con 1": false, "market, lambda_con 2, dropout 0.5": false,
	}
	if len(lines) != len(want) {
		t.Errorf("%d lines, want %d", len(lines), len(want))
	}
	for _, l := range lines {
		paper, known := want[l.name]
		if !known || paper != (len(l.paper.sbleu) > 0) {
			t.Errorf("line %q has the paper's: %v", l.name, len(l.paper.sbleu) > 0)
		}
	}
}

// TestLambdaEpsAxes checks that the range of each axis is at least minPercent and within 0 to 100,
// and that the axis shows the lambda_eps of every point as a number.
func TestLambdaEpsAxes(t *testing.T) {
	var records []*report.Record
	for _, eps := range []string{"0.15", "0.2", "3"} {
		records = append(records, mask("market", "explainable_attention", "10", eps, "1", 99, 1))
	}
	full, err := LambdaEps(records)
	if err != nil {
		t.Fatal(err)
	}
	for _, panel := range append(figures(t)["lambda_eps"].panels, full.panels...) {
		if y := panel.Y; y.Max-y.Min < minPercent || y.Min < 0 || y.Max > 100 {
			t.Errorf("an axis is from %v to %v", y.Min, y.Max)
		}
	}
	var labels []string
	for _, tick := range full.panels[1].X.Tick.Marker.Ticks(0, 3) {
		labels = append(labels, strings.TrimSpace(tick.Label))
	}
	if want := []string{"0.15", "0.2", "3"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
}
