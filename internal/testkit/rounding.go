package testkit

import "math"

// Libraries add the same float32 numbers in different orders on different CPUs, with different
// numbers of threads or in different batches. The functions below bound the resulting difference.
// Where our own kernels promise bit-identical results, tests compare the results exactly instead.

// unit is the largest relative error of one float32 rounding.
const unit = 0x1p-24

// deviations is lambda of Higham and Mary 2019 (A new approach to probabilistic rounding error
// analysis, theorem 2.4). If rounding errors are independent with mean 0, the sum of n errors is at
// most lambda sqrt(n) times the bound on one error, except with a probability below 2
// exp(-lambda^2/2), which is 3e-8 for lambda = 6.
const deviations = 6

// RoundingBound returns the largest expected difference between two results of the same chain of
// sums, computed in different orders. The difference is relative to the largest magnitude. Each
// argument is the number of terms of one sum. A sum of n terms is rounded n times, each time with
// an error of at most unit (2^-24) times a partial sum, and partial sums are assumed to be no
// larger than results. The bound is small enough to reveal a missing term: leaving out one of 280
// terms changes their sum by about 1/sqrt(280), ten thousand times the bound.
func RoundingBound(terms ...int) float64 {
	roundings := 1 // the rounding of the result itself
	for _, n := range terms {
		roundings += n
	}
	return deviations * unit * math.Sqrt(float64(roundings))
}

// Chain returns the list terms repeated n times. It makes the arguments of RoundingBound for a
// model of n equal layers.
func Chain(n int, terms ...int) (all []int) {
	for range n {
		all = append(all, terms...)
	}
	return all
}

// Difference returns the largest difference between two tensors relative to the largest magnitude
// in want. The result is NaN if a tensor contains a NaN, and infinity if the lengths differ. So
// neither case passes a test against a bound.
func Difference(got, want []float32) float64 {
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

// WithinRounding reports whether got and want differ by at most RoundingBound(terms...).
func WithinRounding(got, want []float32, terms ...int) bool {
	return Difference(got, want) <= RoundingBound(terms...)
}
