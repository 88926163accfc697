package testkit

// Indices returns 0 to n-1, for tests that draw a permutation.
func Indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
