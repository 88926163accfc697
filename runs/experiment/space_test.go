package experiment

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ranges draws up to four ranges of all kinds.
func ranges(t *rapid.T) []searchRange {
	out := make([]searchRange, rapid.IntRange(1, 4).Draw(t, "keys"))
	for i := range out {
		r := searchRange{Key: "key" + strconv.Itoa(i), How: rapid.SampledFrom([]distribution{logUniform, uniform, wholeNumber, oneOf}).Draw(t, "how")}
		switch r.How {
		case oneOf:
			r.N = rapid.IntRange(1, 9).Draw(t, "n")
		case wholeNumber:
			r.Low = float64(rapid.IntRange(-5, 2000).Draw(t, "low"))
			r.High, r.Whole = r.Low+float64(rapid.IntRange(1, 3000).Draw(t, "wide")), true
		case logUniform:
			r.Low = rapid.Float64Range(1e-6, 10).Draw(t, "low")
			r.High = r.Low * rapid.Float64Range(1.5, 1e4).Draw(t, "times")
		default:
			r.Low = rapid.Float64Range(-10, 10).Draw(t, "low")
			r.High = r.Low + rapid.Float64Range(0.5, 100).Draw(t, "wide")
		}
		out[i] = r
	}
	return out
}

// TestDraw: points lie in their ranges, differ, can be quoted with 3 digits but at a bound, and
// come from the seed and the keys alone: a longer list begins with the shorter one, and the order
// of the keys does not matter.
func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, n := ranges(t), rapid.IntRange(1, 30).Draw(t, "points")
		seed := rapid.Uint64().Draw(t, "seed")
		points, err := drawPoints(of, n, seed)
		if errors.Is(err, errFewPoints) {
			t.Skip("too few choices")
		}
		if err != nil || len(points) != n {
			t.Fatalf("%d points, %v", len(points), err)
		}
		for i, p := range points {
			for k, x := range p {
				r := of[k]
				low, high := r.Low, r.High
				if r.How == oneOf {
					low, high = 0, float64(r.N-1)
				}
				if x < low || x > high {
					t.Errorf("%v of %+v", x, r)
				}
				short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
				if short != x && x != low && x != high {
					t.Errorf("%v has more than 3 digits", x)
				}
				if (r.How == wholeNumber || r.How == oneOf) && x != math.Trunc(x) {
					t.Errorf("%v is no whole number", x)
				}
			}
			if slices.ContainsFunc(points[:i], func(q []float64) bool { return slices.Equal(p, q) }) {
				t.Errorf("point %d is there twice: %v", i+1, p)
			}
		}
		fewer, err := drawPoints(of, (n+1)/2, seed)
		if d := cmp.Diff(points[:(n+1)/2], fewer); d != "" || err != nil {
			t.Errorf("fewer points are others: %s, %v", d, err)
		}
		slices.Reverse(of)
		other, err := drawPoints(of, n, seed)
		for _, p := range other {
			slices.Reverse(p)
		}
		if d := cmp.Diff(points, other); d != "" || err != nil {
			t.Errorf("keys in another order have other points: %s, %v", d, err)
		}
	})
}

// TestDrawOfASeed: the numbers that seed 1 gave when this was written, on amd64 with Go 1.26; every
// machine must give them.
func TestDrawOfASeed(t *testing.T) {
	got, err := drawPoints([]searchRange{
		{Key: "smlm.lr", How: logUniform, Low: 1e-4, High: 1e-2},
		{Key: "smlm.dropout", How: uniform, Low: 0, High: 0.5},
		{Key: "smlm.layers", How: wholeNumber, Low: 1, High: 4, Whole: true},
		{Key: "smlm.dim", How: oneOf, N: 3},
	}, 4, 1)
	want := [][]float64{
		{0.00158, 0.182, 2, 2}, {0.00143, 0.415, 2, 2}, {0.00187, 0.101, 1, 0}, {0.000189, 0.108, 3, 0},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
}

// TestDrawIsSpread: a tenth of the points falls into each tenth of a range, of a logarithmic one by
// the logarithm; 1,000 points leave a tenth within 60 to 140 (four deviations of a binomial).
func TestDrawIsSpread(t *testing.T) {
	points, err := drawPoints([]searchRange{
		{Key: "a", How: logUniform, Low: 1e-5, High: 1}, {Key: "b", How: uniform, Low: -1, High: 1},
	}, 1000, 7)
	if err != nil {
		t.Fatal(err)
	}
	var counts [2][11]int
	for _, p := range points {
		counts[0][int((math.Log10(p[0])+5)*2)]++
		counts[1][int((p[1]+1)*5)]++
	}
	for k := range counts {
		for tenth, n := range counts[k][:10] {
			if n < 60 || n > 140 {
				t.Errorf("range %d: %d points of 1000 in tenth %d", k, n, tenth)
			}
		}
	}
}

// TestFew: all points of a small space are found, and more are refused.
func TestFew(t *testing.T) {
	small := []searchRange{{Key: "a", How: oneOf, N: 3}, {Key: "b", How: wholeNumber, Low: 1, High: 2, Whole: true}}
	if points, err := drawPoints(small, 6, 3); err != nil || len(points) != 6 {
		t.Errorf("%v, %v", points, err)
	}
	if _, err := drawPoints(small, 7, 3); !errors.Is(err, errFewPoints) {
		t.Errorf("seven points of six: %v", err)
	}
}

// TestHalving: the rungs of Li et al. 2018, table 1 (R = 81, eta = 3, the bracket s = 4), and some
// that do not come out even.
func TestHalving(t *testing.T) {
	for _, c := range []struct {
		points, eta, low, high int
		want                   []Rung
	}{
		{81, 3, 1, 81, []Rung{{81, 1}, {27, 3}, {9, 9}, {3, 27}, {1, 81}}},
		{34, 3, 3, 81, []Rung{{34, 3}, {11, 9}, {3, 27}, {1, 81}}},
		{16, 3, 1, 15, []Rung{{16, 2}, {5, 5}, {1, 15}}},
		{5, 2, 1, 3, []Rung{{5, 2}, {2, 3}}},
		{4, 3, 2, 5, []Rung{{4, 5}}},
	} {
		if d := cmp.Diff(c.want, halvingRungs(c.points, c.eta, c.low, c.high)); d != "" {
			t.Errorf("%+v: %s", c, d)
		}
	}
}

// TestHalvingIsBounded: rungs grow in budget from low to high and shrink in points.
func TestHalvingIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points, eta := rapid.IntRange(1, 200).Draw(t, "points"), rapid.IntRange(2, 5).Draw(t, "eta")
		low := rapid.IntRange(1, 20).Draw(t, "low")
		high := low + rapid.IntRange(0, 500).Draw(t, "more")
		rungs := halvingRungs(points, eta, low, high)
		if rungs[0].Points != points || rungs[0].Budget < low || rungs[len(rungs)-1].Budget != high {
			t.Errorf("rungs %v", rungs)
		}
		for i, r := range rungs[1:] {
			if r.Points > rungs[i].Points || r.Points < 1 || r.Budget <= rungs[i].Budget {
				t.Errorf("rungs %v", rungs)
			}
		}
	})
}
