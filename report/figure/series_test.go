package figure

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// Decodings are systems, other settings points of one system, seeds one point: 60
// and 64 have mean 62 and deviation 2 sqrt 2.
func TestTradeOff(t *testing.T) {
	row := func(decoding, eps string, seed uint64, tst float64) report.ResultRow {
		return report.ResultRow{
			Dataset: "market", System: "SMLM", Seed: seed,
			Axes:    []report.Axis{{Key: "lambda_eps", Value: eps}, {Key: "decoding", Value: decoding}},
			Metrics: &metrics.Scores{Metrics: metrics.Values{"tst": tst, "s_bleu": 50}},
		}
	}
	f := TradeOffOf([]report.ResultRow{
		row("copied", "0.5", 1, 60), row("guided", "0.5", 1, 80), row("copied", "0.5", 2, 64), row("copied", "1", 1, 70),
	}).(TradeOff)
	var got []string
	for _, p := range f.Panels[0].Points {
		got = append(got, p.Name)
	}
	if d := cmp.Diff([]string{"SMLM, copied", "SMLM, guided", "SMLM, copied"}, got); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
	if v := f.Panels[0].Points[0].TST; v.Mean != 62 || math.Abs(v.Deviation-2*math.Sqrt2) > 1e-12 {
		t.Errorf("seeds: %+v", v)
	}
	if TradeOffOf(nil) != nil {
		t.Error("a figure of nothing")
	}
}

// Lines are named by what tells the runs of a model apart, and by nothing else.
func TestTrainingNames(t *testing.T) {
	var rows []report.TrainingRow
	for _, r := range []struct{ model, con, eps string }{
		{"lm", "", ""}, {"divlstm", "1", ""}, {"divlstm", "2", ""}, {"smlm", "1", "0.5"}, {"smlm", "1", "1"},
	} {
		row := report.TrainingRow{Dataset: "market", Model: r.model, Epoch: 1}
		for key, value := range map[string]string{"lambda_con": r.con, "lambda_eps": r.eps} {
			if value != "" {
				row.Axes = append(row.Axes, report.Axis{Key: key, Value: value})
			}
		}
		rows = append(rows, row)
	}
	var got []string
	for dataset, f := range TrainingOf(rows) {
		for _, c := range f.(Training).Curves {
			got = append(got, dataset+" "+c.Panel+": "+c.Name)
		}
	}
	want := []string{
		"market lm: ", "market divlstm: lambda_con 1", "market divlstm: lambda_con 2",
		"market smlm: lambda_eps 0.5", "market smlm: lambda_eps 1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("curves (-want +got):\n%s", d)
	}
}

// By hand: 64 % of 400 sentences, 1.96 sqrt(.64 * .36 / 400) = .04704. One seed has that bar, two
// have their deviation.
func TestLambdaEpsBars(t *testing.T) {
	row := func(eps float64, seed uint64, accuracy float64) report.AttributionRow {
		return report.AttributionRow{
			Dataset: "market", Method: policy.ExplainableAttention, LambdaEps: &eps, Seed: seed, Sentences: 400,
			Accuracy: accuracy, CharBLEU: 100,
		}
	}
	f := LambdaEpsOf([]report.AttributionRow{row(.5, 1, 64), row(1, 1, 60), row(1, 2, 62)}).(LambdaEps)
	points := f.Series[0].Points
	if got := points[0].Accuracy.Deviation; math.Abs(got-4.704) > 1e-9 {
		t.Errorf("one seed: %v, want 4.704", got)
	}
	if got := points[1].Accuracy.Deviation; math.Abs(got-math.Sqrt2) > 1e-9 {
		t.Errorf("two seeds: %v, want the square root of 2", got)
	}
	if got := points[0].SBLEU.Deviation; got != 0 {
		t.Errorf("of 100 %%: %v, want 0", got)
	}
	if halfWidth(50, 0) != 0 {
		t.Error("an interval of no sentence")
	}
}
