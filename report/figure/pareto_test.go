package figure

import (
	"slices"
	"testing"

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

// A collapsed system or people that no other beats are neither on the front nor keep others from
// it.
func TestFrontOf(t *testing.T) {
	at := func(sbleu, tst float64) TradeOffPoint {
		return TradeOffPoint{SBLEU: Value{Mean: sbleu}, TST: Value{Mean: tst}}
	}
	points := []TradeOffPoint{at(60, 60), at(70, 99), at(80, 80), at(40, 80), at(30, 70)}
	points[1].Collapsed, points[2].People = true, true
	if got := frontOf(points); !slices.Equal(got, []int{3, 0}) {
		t.Errorf("front %v, want [3 0]", got)
	}
}
