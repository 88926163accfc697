package metrics

import "math"

// SeedStats returns the mean of a figure over seeds and its sample standard deviation, sqrt(sum (x - mean)^2 / (n - 1)). The deviation of one
// value and both of none are NaN: one seed says nothing about the others.
func SeedStats(values []float64) (average, deviation float64) {
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	average = mean(values)
	squares := 0.0
	for _, v := range values {
		squares += (v - average) * (v - average)
	}
	return average, math.Sqrt(squares / float64(len(values)-1))
}
