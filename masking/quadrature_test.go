package masking

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// TestGaussLegendreIsExact: n points integrate every power up to 2n-1, and none is used twice.
func TestGaussLegendreIsExact(t *testing.T) {
	for n := 1; n <= 300; n++ {
		powers := make([]float64, min(2*n, 40)) // sum of weight * at^degree
		last := 0.0
		for k := range n {
			at, weight := gaussLegendre(n, k)
			if !(at > last && at < 1) {
				t.Fatalf("%d points: point %d is %v after %v", n, k, at, last)
			}
			last = at
			for degree := range powers {
				powers[degree] += weight
				weight *= at
			}
		}
		for degree, sum := range powers {
			if want := 1 / float64(degree+1); math.Abs(sum-want) > 1e-13 {
				t.Errorf("%d points, degree %d: %v, want %v", n, degree, sum, want)
			}
		}
	}
}

func TestNodes(t *testing.T) {
	third := float32(1 / math.Sqrt(3)) // the roots of P_2 are +-1/sqrt 3
	for _, c := range []struct {
		rule policy.IGRule
		want []float32
	}{
		{"left", []float32{0, .5}},
		{"midpoint", []float32{.25, .75}},
		{"gauss_legendre", []float32{(1 - third) / 2, (1 + third) / 2}},
	} {
		at, weights := nodes(c.rule, 2)
		for k := range at {
			if math.Abs(float64(at[k]-c.want[k])) > 1e-7 || math.Abs(float64(weights[k])-.5) > 1e-7 {
				t.Errorf("%s: points %v, weights %v", c.rule, at, weights)
			}
		}
	}
}
