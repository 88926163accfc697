package testkit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sum adds up terms in several partial sums (lanes), as vector instructions and threads do.
func sum(terms []float32, lanes int) float32 {
	parts := make([]float32, lanes)
	for i, x := range terms {
		parts[i%lanes] += x
	}
	var total float32
	for _, p := range parts {
		total += p
	}
	return total
}

// TestBound checks that sums in two orders differ by at most RoundingBound, and that the largest of
// many differences is at least a fiftieth of this bound. If a term is missing in one of two sums,
// the difference must exceed the bound.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{32, 64, 512, 4096} {
		terms, a, b, cut := make([]float32, n), make([]float32, 200), make([]float32, 200), make([]float32, 200)
		for i := range a {
			for k := range terms {
				terms[k] = float32(rng.NormFloat64())
			}
			a[i], b[i], cut[i] = sum(terms, 1), sum(terms, 16), sum(terms[1:], 16)
		}
		if off := Difference(a, b); off > RoundingBound(n) || off < RoundingBound(n)/50 {
			t.Errorf("%d terms: %.2g apart, the bound is %.2g", n, off, RoundingBound(n))
		}
		if WithinRounding(a, cut, n) {
			t.Errorf("%d terms: one can be left out", n)
		}
	}
}

// TestApart checks that the difference of equal tensors is 0, even if all values are 0, and that
// NaNs and different lengths are never within a bound.
func TestApart(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		got, want []float32
		off       float64
	}{
		{nil, nil, 0},
		{[]float32{0, 0}, []float32{0, 0}, 0},
		{[]float32{1, 2}, []float32{1, 4}, .5},
		{[]float32{1}, []float32{0}, math.Inf(1)},
		{[]float32{1}, []float32{1, 2}, math.Inf(1)},
	} {
		if off := Difference(c.got, c.want); off != c.off {
			t.Errorf("%v and %v are %v apart, want %v", c.got, c.want, off, c.off)
		}
	}
	for _, pair := range [][2][]float32{{{nan}, {1}}, {{1}, {nan}}, {{nan}, {nan}}} {
		if WithinRounding(pair[0], pair[1], 1<<20) {
			t.Errorf("%v is near %v", pair[0], pair[1])
		}
	}
}
