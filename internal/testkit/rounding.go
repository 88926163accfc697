package testkit

import "math"

// The functions below bound how far apart two float32 computations of one thing may lie that add
// the same numbers in another order, as the libraries do on another CPU, with another number of
// threads or in another batch. What our own kernels promise to be the same bits is compared bit by
// bit; everything else is held to a bound that says why it is what it is.

// unit is the largest relative error of one float32 rounding.
const unit = 0x1p-24

// deviations is lambda of Higham and Mary 2019 (A new approach to probabilistic rounding error
// analysis, theorem 2.4): rounding errors are independent and of mean 0, so that n of them come to
// more than lambda sqrt(n) of one with a probability below 2 exp(-lambda^2/2), 3e-8 for 6.
const deviations = 6

// RoundingBound returns how far apart two results may be, as a share of their largest magnitude,
// which come out of a chain of sums of so many terms each, in whatever order. A sum of n terms
// rounds n times, each time by at most u of a partial sum, and partial sums are no larger than what
// results are. A term that is missing in one of two sums sets them some 1/sqrt(n) apart, ten
// thousand times as far.
func RoundingBound(terms ...int) float64 {
	roundings := 1 // of the result itself
	for _, n := range terms {
		roundings += n
	}
	return deviations * unit * math.Sqrt(float64(roundings))
}

// Chain returns n links that add up so many terms each, as a model's layers do.
func Chain(n int, terms ...int) (all []int) {
	for range n {
		all = append(all, terms...)
	}
	return all
}

// Apart returns the largest difference between two tensors as a share of the largest magnitude in
// want; NaN where one has a NaN, and infinity where their lengths differ, neither of which is
// within any bound.
func Apart(got, want []float32) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	var off, largest float64
	for i, w := range want {
		d := math.Abs(float64(got[i]) - float64(w))
		if math.IsNaN(d) {
			return d
		}
		off, largest = max(off, d), max(largest, math.Abs(float64(w)))
	}
	if off == 0 {
		return 0
	}
	return off / largest
}

// WithinRounding tells whether got and want lie as near to each other as sums of so many terms do.
func WithinRounding(got, want []float32, terms ...int) bool {
	return Apart(got, want) <= RoundingBound(terms...)
}
