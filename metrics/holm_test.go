package metrics

import (
	"math"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// R: p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm") is 0.04 0.06 0.06 0.06; the others by hand.
func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{.01, .02, .03, .04}, []float64{.04, .06, .06, .06}},
		{[]float64{.04, .01, .03, .02}, []float64{.06, .04, .06, .06}},
		{[]float64{.03}, []float64{.03}},
		{[]float64{.9, .001}, []float64{.9, .002}},
		{[]float64{.6, .7}, []float64{1, 1}},
		{[]float64{math.NaN(), .01}, []float64{1, .02}},
		{nil, nil},
	} {
		var rows []Comparison
		for _, p := range c.p {
			rows = append(rows, Comparison{PBootstrap: p, PRandomisation: p / 2}) // the larger of the two counts
		}
		got := Holm(rows)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("holm(%v) = %v, want %v", c.p, got, c.want)
				break
			}
		}
	}
}

// Corrected p values are at least as large as p, at most 1, and in the same order.
func TestHolmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		var rows []Comparison
		for _, v := range p {
			rows = append(rows, Comparison{PBootstrap: v, PRandomisation: v})
		}
		got := Holm(rows)
		order := make([]int, len(p))
		for i := range order {
			order[i] = i
			if got[i] < p[i] || got[i] > 1 {
				t.Fatalf("%v became %v", p[i], got[i])
			}
		}
		sort.SliceStable(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
		for k := 1; k < len(order); k++ {
			if got[order[k]] < got[order[k-1]] {
				t.Fatalf("%v became %v", p, got)
			}
		}
	})
}
