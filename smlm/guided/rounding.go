package guided

import (
	"iter"
	"math"
	"slices"
)

// rounding is how far apart the logs of two probabilities may be that differ by rounding alone. The
// last bits of what a model says of a sentence depend on the sentences beside it and on the number
// of threads; no choice may. So what is this close is equal, and a rule that reads words or places
// says which comes first. It is dozens of times what float32's sums differ by
// (TestFillsDifferByRounding of package smlm), and too little for a reader to care.
const rounding = 1e-4

// largest returns the index of the largest value, of equals the first, -1 where none is above -Inf.
func largest(values []float64) int {
	top := math.Inf(-1)
	for _, v := range values {
		top = max(top, v)
	}
	for i, v := range values {
		if v > math.Inf(-1) && v >= top-rounding {
			return i
		}
	}
	return -1
}

// descending yields the indices of the values above -Inf, the largest value first, of equals the
// first.
func descending(values []float64) iter.Seq[int] {
	left := slices.Clone(values)
	return func(yield func(int) bool) {
		for k := largest(left); k >= 0 && yield(k); k = largest(left) {
			left[k] = math.Inf(-1)
		}
	}
}
