// Package series makes the figures of a study of the rows of its tables: which rows are one line or
// one mark, what they are called, and seeds as a mean with its deviation.
package series

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"

	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/figure"
)

// AxisWords are swept settings in running text: "lambda_eps 0.5".
func AxisWords(axes []report.Axis) []string {
	words := make([]string, len(axes))
	for i, a := range axes {
		words[i] = a.Key + " " + a.Value
	}
	return words
}

// valueOf is the value of an axis, "" where there is none.
func valueOf(axes []report.Axis, key string) string {
	for _, a := range axes {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// overSeeds is the mean of a figure with its deviation, 0 of one seed.
func overSeeds[R any](rows []R, of func(R) float64) *figure.Value {
	mean, deviation := report.SeedStats(lists.Map(rows, of))
	if len(rows) < 2 {
		deviation = 0
	}
	return &figure.Value{Mean: mean, Deviation: deviation}
}

// differing are the axes on which some rows do not all agree.
func differing(all [][]report.Axis) map[string]bool {
	out := map[string]bool{}
	for _, axes := range all {
		for _, a := range axes {
			for _, other := range all {
				out[a.Key] = out[a.Key] || valueOf(other, a.Key) != a.Value
			}
		}
	}
	return out
}

// only keeps the axes of some keys in running text.
func only(axes []report.Axis, keys map[string]bool) string {
	var kept []report.Axis
	for _, a := range axes {
		if keys[a.Key] {
			kept = append(kept, a)
		}
	}
	return strings.Join(AxisWords(kept), ", ")
}
