package guided

import (
	"iter"
	"math"
	"slices"
)

// rounding is the largest difference between two log probabilities that counts as rounding error.
// The last bits of a model's output depend on the batch and on the number of threads, but no choice
// of words may depend on them. So two values this close count as equal, and a rule about words or
// places chooses between them. The constant is dozens of times the error of float32 sums (see
// TestFillsDifferByRounding of package smlm). A larger difference would still not matter to a
// reader.
const rounding = 1e-4

// The function largest returns the index of the largest value above -Inf, or -1 if there is none.
// If several values are equal except for rounding, it takes the first.
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

// descending yields the indices of the values above -Inf, largest first. Values that are equal
// except for rounding keep their order.
func descending(values []float64) iter.Seq[int] {
	remaining := slices.Clone(values)
	return func(yield func(int) bool) {
		for k := largest(remaining); k >= 0 && yield(k); k = largest(remaining) {
			remaining[k] = math.Inf(-1)
		}
	}
}
