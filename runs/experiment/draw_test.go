package experiment

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawnKeys draws up to four keys of all distributions.
func drawnKeys(t *rapid.T) []drawnKey {
	out := make([]drawnKey, rapid.IntRange(1, 4).Draw(t, "keys"))
	for i := range out {
		all := []distribution{logUniform, uniform, wholeNumber, oneOf}
		r := drawnKey{path: "key" + strconv.Itoa(i), how: rapid.SampledFrom(all).Draw(t, "how")}
		switch r.how {
		case oneOf:
			r.choices = make([]reflect.Value, rapid.IntRange(1, 9).Draw(t, "n"))
		case wholeNumber:
			r.low = float64(rapid.IntRange(-5, 2000).Draw(t, "low"))
			r.high, r.whole = r.low+float64(rapid.IntRange(1, 3000).Draw(t, "wide")), true
		case logUniform:
			r.low = rapid.Float64Range(1e-6, 10).Draw(t, "low")
			r.high = r.low * rapid.Float64Range(1.5, 1e4).Draw(t, "times")
		default:
			r.low = rapid.Float64Range(-10, 10).Draw(t, "low")
			r.high = r.low + rapid.Float64Range(0.5, 100).Draw(t, "wide")
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
		of, n := drawnKeys(t), rapid.IntRange(1, 30).Draw(t, "points")
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
				low, high := r.low, r.high
				if r.how == oneOf {
					low, high = 0, float64(len(r.choices)-1)
				}
				if x < low || x > high {
					t.Errorf("%v of %+v", x, r)
				}
				short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
				if short != x && x != low && x != high {
					t.Errorf("%v has more than 3 digits", x)
				}
				if (r.how == wholeNumber || r.how == oneOf) && x != math.Trunc(x) {
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
	got, err := drawPoints([]drawnKey{
		{path: "smlm.lr", how: logUniform, low: 1e-4, high: 1e-2},
		{path: "smlm.dropout", how: uniform, low: 0, high: 0.5},
		{path: "smlm.layers", how: wholeNumber, low: 1, high: 4, whole: true},
		{path: "smlm.dim", how: oneOf, choices: make([]reflect.Value, 3)},
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
	points, err := drawPoints([]drawnKey{
		{path: "a", how: logUniform, low: 1e-5, high: 1}, {path: "b", how: uniform, low: -1, high: 1},
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
	small := []drawnKey{
		{path: "a", how: oneOf, choices: make([]reflect.Value, 3)},
		{path: "b", how: wholeNumber, low: 1, high: 2, whole: true},
	}
	if points, err := drawPoints(small, 6, 3); err != nil || len(points) != 6 {
		t.Errorf("%v, %v", points, err)
	}
	if _, err := drawPoints(small, 7, 3); !errors.Is(err, errFewPoints) {
		t.Errorf("seven points of six: %v", err)
	}
}
