package main

import "slices"

// median is the middle value, of an even number of them the mean of the two in the middle.
func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

// ratios divides pair by pair.
func ratios(above, below []float64) []float64 {
	out := make([]float64, min(len(above), len(below)))
	for i := range out {
		out[i] = above[i] / below[i]
	}
	return out
}

func least(xs []float64) float64 { return slices.Min(xs) }
func most(xs []float64) float64  { return slices.Max(xs) }
