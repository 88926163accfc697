package figure

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"pgregory.net/rapid"
)

func TestPareto(t *testing.T) {
	for _, c := range []struct {
		points []xy
		want   []int
	}{
		{nil, nil},
		{[]xy{{1, 1}}, []int{0}},
		{[]xy{{1, 3}, {2, 2}, {3, 1}}, []int{0, 1, 2}},
		{[]xy{{3, 1}, {1, 1}, {1, 3}}, []int{2, 0}},
		{[]xy{{2, 2}, {2, 1}, {1, 2}}, []int{0}},
		{[]xy{{2, 2}, {1, 3}, {2, 2}}, []int{1, 0, 2}}, // equal points stand on the front together
	} {
		if got := pareto(c.points); !slices.Equal(got, c.want) {
			t.Errorf("pareto(%v) = %v, want %v", c.points, got, c.want)
		}
	}
}

// By the definition: the front is exactly the points that none dominates, and goes down as it goes
// right.
func TestParetoDefinition(t *testing.T) {
	coordinate := rapid.Map(
		rapid.IntRange(0, 8), func(i int) float64 { return float64(i) },
	) // few values, so that many are equal
	point := rapid.Custom(func(t *rapid.T) xy { return xy{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")} })
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(point, 0, 30).Draw(t, "points")
		front := pareto(points)
		for i, p := range points {
			dominated := slices.ContainsFunc(
				points, func(q xy) bool { return q.x >= p.x && q.y >= p.y && (q.x > p.x || q.y > p.y) },
			)
			if slices.Contains(front, i) == dominated {
				t.Fatalf("point %d %v: dominated %v, front %v", i, p, dominated, front)
			}
		}
		for i := 1; i < len(front); i++ {
			a, b := points[front[i-1]], points[front[i]]
			if a == b && front[i-1] > front[i] || a != b && (a.x >= b.x || a.y <= b.y) {
				t.Fatalf("front %v is out of order at %d", front, i)
			}
		}
	})
}

// A system with a flaw or people that no other beats are neither on the front nor keep others from
// it.
func TestFrontOf(t *testing.T) {
	at := func(sbleu, tst float64) TradeOffPoint {
		return TradeOffPoint{X: Value{Mean: sbleu}, Y: Value{Mean: tst}}
	}
	points := []TradeOffPoint{at(60, 60), at(70, 99), at(80, 80), at(40, 80), at(30, 70)}
	points[1].Flaws, points[2].Human = "left unchanged§", true
	if got := frontOf(points); !slices.Equal(got, []int{3, 0}) {
		t.Errorf("front %v, want [3 0]", got)
	}
}

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
	x, y := metrics.ColumnsOf("s_bleu")[0], metrics.ColumnsOf("tst")[0]
	f := TradeOffOf([]report.ResultRow{
		row("copied", "0.5", 1, 60), row("guided", "0.5", 1, 80), row("copied", "0.5", 2, 64), row("copied", "1", 1, 70),
	}, x, y).(TradeOff)
	var got []string
	for _, p := range f.Panels[0].Points {
		got = append(got, p.Name)
	}
	if d := cmp.Diff([]string{"SMLM (copied)", "SMLM (guided)", "SMLM (copied)"}, got); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
	if v := f.Panels[0].Points[0].Y; v.Mean != 62 || math.Abs(v.Deviation-2*math.Sqrt2) > 1e-12 {
		t.Errorf("seeds: %+v", v)
	}
	copier := row("copied", "2", 1, 60)
	copier.Metrics.Metrics["s_bleu"] = 100
	copier.Metrics.Directions = []metrics.Direction{{N: 44, Metrics: metrics.Values{"unchanged_share": 1}}}
	points := TradeOffOf([]report.ResultRow{row("guided", "0.5", 1, 80), copier}, x, y).(TradeOff).Panels[0].Points
	if got := points[1]; got.Signs != "§" || got.Flaws != "left unchanged§" || got.X.Mean != 100 {
		t.Errorf("a system that copies: %+v", got)
	}
	if got := frontOf(points); !slices.Equal(got, []int{0}) {
		t.Errorf("with one that copies the front is %v", got)
	}
	less := *x
	less.Better = metrics.Lower
	if f := TradeOffOf([]report.ResultRow{row("copied", "0.5", 1, 60)}, &less, y).(TradeOff); f.Front {
		t.Error("there is a front of a metric of which less is better")
	}
	if TradeOffOf(nil, x, y) != nil {
		t.Error("a figure of nothing")
	}
}

// Points of one system share a mark, which the legend names once; published ones are named beside
// theirs.
func TestTradeOffMarks(t *testing.T) {
	point := func(name string, x, y float64) TradeOffPoint {
		return TradeOffPoint{Name: name, X: Value{Mean: x}, Y: Value{Mean: y}}
	}
	published := point("DirR", 60, 90)
	published.Published = true
	f := tradeOff(TradeOffPanel{Points: []TradeOffPoint{
		point("SMLM", 70, 80), point("SMLM-G", 75, 35), point("SMLM", 71, 81), published,
	}})
	s, err := f.sheet()
	if err != nil {
		t.Fatal(err)
	}
	points := s.Panels[0].Cloud.Points
	if points[0].Mark != points[2].Mark || points[0].Mark == points[1].Mark || points[0].Name != "" {
		t.Errorf("marks %+v", points)
	}
	if points[3].Name != "DirR" {
		t.Errorf("the published system is called %q", points[3].Name)
	}
	var texts []string
	for _, e := range s.Legend {
		texts = append(texts, e.Text)
	}
	if want := []string{"SMLM", "SMLM-G", "published", "Pareto front"}; !slices.Equal(texts, want) {
		t.Errorf("legend %q, want %q", texts, want)
	}
}
