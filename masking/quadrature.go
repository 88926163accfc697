package masking

import (
	"math"

	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// nodes returns the n points of a quadrature rule on [0, 1] and their weights, which sum to 1.
func nodes(rule policy.IGRule, n int) (alphas, weights []float32) {
	for k := range n {
		at, weight := float64(k)/float64(n), 1/float64(n)
		switch rule {
		case policy.GaussLegendre:
			at, weight = gaussLegendre(n, k)
		case policy.Midpoint:
			at += .5 / float64(n)
		}
		alphas, weights = append(alphas, float32(at)), append(weights, float32(weight))
	}
	return alphas, weights
}

// gaussLegendre returns point k of n, from 0, on [0, 1] and its weight: a root x of the Legendre
// polynomial P_n, found by Newton's method, and 2 / ((1 - x^2) P_n'(x)^2), both scaled from [-1, 1]
// (Abramowitz and Stegun 1964, 25.4.29 and 25.4.30). Gonum v0.17.0 has them too, but its weights
// for n = 26 are wrong by 1 %.
func gaussLegendre(n, k int) (at, weight float64) {
	x := -math.Cos(math.Pi * (float64(k) + .75) / (float64(n) + .5)) // close enough for Newton to converge to root k
	var slope float64
	for range 100 {
		p, before := x, 1.0 // P_1 and P_0
		for j := 2; j <= n; j++ {
			p, before = (float64(2*j-1)*x*p-float64(j-1)*before)/float64(j), p
		}
		slope = float64(n) * (x*p - before) / (x*x - 1)
		step := p / slope
		if x -= step; math.Abs(step) < 1e-15 {
			break
		}
	}
	return (1 + x) / 2, 1 / ((1 - x*x) * slope * slope)
}
