package figure

import (
	"math"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"pgregory.net/rapid"
)

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

// The axes fit the data, no percentage is stretched beyond what its noise allows, and the one below
// is called as the paper calls it.
func TestLambdaEpsAxes(t *testing.T) {
	s, err := LambdaEps{Series: []EpsSeries{{Name: "market", Points: []EpsPoint{
		{0.5, single(80), single(64)}, {1, single(81), single(65)},
	}}}}.sheet()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Panels {
		high := p.Y.Range.High - p.Y.Range.Low
		if high < 10 || high > 13 || p.X.Range.Low < 0.4 || p.X.Range.High > 1.1 {
			t.Errorf("axes from %v and %v", p.X.Range, p.Y.Range)
		}
	}
	symbolic(s)
	if got := s.Panels[1].X.Title; got != drawing.Symbols("lambda_eps") || strings.Contains(got, "_") {
		t.Errorf("the axis is called %q", got)
	}
}

// An axis of percentages holds its values, is no shorter than asked, and stays within 0 to 100.
func TestPercentages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := drawing.EmptySpan()
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			y.Add(Value{Mean: rapid.Float64Range(0, 100).Draw(t, "value")})
		}
		got := percentages(y)
		if got.Low < -1e-9 || got.High > 100+1e-9 || got.Low > y.Low+1e-9 || got.High < y.High-1e-9 ||
			got.High-got.Low < leastPercent-1e-9 {
			t.Errorf("of %v the axis is %v", y, got)
		}
	})
}

// Series that lie on each other stand side by side, in both panels; others where they belong.
func TestLambdaEpsSpread(t *testing.T) {
	for accuracy, spread := range map[float64]bool{64.5: true, 90: false} {
		s, err := LambdaEps{Series: []EpsSeries{
			{Name: "a", Points: []EpsPoint{{0.5, single(80), single(64)}, {1, single(81), single(65)}}},
			{Name: "b", Points: []EpsPoint{{0.5, single(50), single(accuracy)}}},
		}}.sheet()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Panels {
			var shifts []float64
			for _, c := range p.Curves {
				if len(c.Dots) > 0 {
					shifts = append(shifts, c.Shift.Points())
				}
			}
			if len(shifts) != 2 || (shifts[1]-shifts[0] > 4) != spread || shifts[0] != -shifts[1] {
				t.Errorf("accuracy %v: shifts %v", accuracy, shifts)
			}
		}
	}
}
