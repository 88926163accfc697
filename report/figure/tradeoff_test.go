package figure

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"
)

// By hand. A system with a flaw and people are neither on the front nor keep others from it.
func TestFrontOf(t *testing.T) {
	at := func(x, y float64) point { return point{x: x, y: y} }
	flawed, human := at(9, 9), at(8, 8)
	flawed.flaws, human.human = []string{"collapsed"}, true
	for _, c := range []struct {
		points []point
		want   plotter.XYs
	}{
		{nil, nil},
		{[]point{at(1, 1)}, plotter.XYs{{X: 1, Y: 1}}},
		{[]point{at(3, 1), at(1, 1), at(1, 3)}, plotter.XYs{{X: 1, Y: 3}, {X: 3, Y: 1}}},
		{[]point{at(2, 2), at(2, 1), at(1, 2), flawed, human}, plotter.XYs{{X: 2, Y: 2}}},
	} {
		if got := frontOf(c.points); !slices.Equal(got, c.want) {
			t.Errorf("frontOf(%v) = %v, want %v", c.points, got, c.want)
		}
	}
}

// By the definition: the front has exactly the places that no point dominates, each once, by rising
// x.
func TestFrontDefinition(t *testing.T) {
	coordinate := rapid.Map(
		rapid.IntRange(0, 8), func(i int) float64 { return float64(i) },
	) // few values, so that many are equal
	some := rapid.Custom(func(t *rapid.T) point {
		return point{x: coordinate.Draw(t, "x"), y: coordinate.Draw(t, "y")}
	})
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(some, 0, 30).Draw(t, "points")
		var want plotter.XYs
		for _, p := range points {
			dominated := slices.ContainsFunc(
				points, func(q point) bool { return q.x >= p.x && q.y >= p.y && (q.x > p.x || q.y > p.y) },
			)
			if at := (plotter.XY{X: p.x, Y: p.y}); !dominated && !slices.Contains(want, at) {
				want = append(want, at)
			}
		}
		slices.SortFunc(want, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		if got := frontOf(points); !slices.Equal(got, want) {
			t.Fatalf("front %v, want %v", got, want)
		}
	})
}

// Decodings are systems, other settings points of one system, seeds one point: 60 and 64 have mean
// 62 and deviation 2 sqrt 2.
func TestTradeOffPoints(t *testing.T) {
	row := func(decoding, eps string, seed uint64, tst float64) report.ResultRow {
		return report.ResultRow{
			Dataset: "market", System: "SMLM", Seed: seed,
			Axes:    []report.Axis{{Key: "lambda_eps", Value: eps}, {Key: "decoding", Value: decoding}},
			Metrics: &metrics.Scores{Metrics: metrics.Values{"tst": tst, "s_bleu": 50}},
		}
	}
	x, y := metrics.ColumnsOf("s_bleu")[0], metrics.ColumnsOf("tst")[0]
	copier := row("copied", "2", 1, 60)
	copier.Metrics.Metrics["s_bleu"] = 100
	copier.Metrics.Directions = []metrics.Direction{{N: 44, Metrics: metrics.Values{"unchanged_share": 1}}}
	datasets, points := tradeOffPoints([]report.ResultRow{
		row("copied", "0.5", 1, 60), row("guided", "0.5", 1, 80), row("copied", "0.5", 2, 64), row("copied", "1", 1, 70),
		copier,
	}, x, y)
	if !slices.Equal(datasets, []string{"market"}) {
		t.Errorf("data sets %q", datasets)
	}
	var names []string
	for _, q := range points["market"] {
		names = append(names, q.name)
	}
	want := []string{"SMLM (copied)", "SMLM (guided)", "SMLM (copied)", "SMLM (copied)"}
	if !slices.Equal(names, want) {
		t.Errorf("points %q, want %q", names, want)
	}
	if q := points["market"][0]; q.y != 62 || math.Abs(q.yBar-2*math.Sqrt2) > 1e-12 || q.xBar != 0 {
		t.Errorf("seeds: %+v", q)
	}
	if q := points["market"][3]; !slices.Equal(q.flaws, []string{"left unchanged"}) || q.x != 100 || q.ranked() {
		t.Errorf("a system that copies: %+v", q)
	}
	if f, err := TradeOff(nil, x, y); f != nil || err != nil {
		t.Errorf("of nothing: %v, %v", f, err)
	}
	less := *x
	less.Better = metrics.Lower
	if f, err := TradeOff([]report.ResultRow{row("copied", "1", 1, 60)}, &less, y); f == nil || err != nil {
		t.Errorf("of a metric of which less is better: %v, %v", f, err)
	}
}
