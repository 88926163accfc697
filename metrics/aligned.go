package metrics

import "fmt"

// mustMatch panics unless every reference set is as long as outputs.
func mustMatch(metric string, outputs [][]string, references [][][]string) {
	for k, set := range references {
		if len(set) != len(outputs) {
			panic(fmt.Sprintf("metrics.%s: %d outputs, %d sentences in reference set %d", metric, len(outputs), len(set), k))
		}
	}
}

// mean returns the arithmetic mean, 0 of nothing.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
