// Package series makes the figures of a study of the rows of its tables: which rows are one line or
// one mark, what they are called, and seeds as a mean with its deviation.
package figure

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/report"
)

// overSeeds is the mean of a figure with its deviation, 0 of one seed.
func overSeeds[R any](rows []R, of func(R) float64) *Value {
	mean, deviation := report.SeedStats(lists.Map(rows, of))
	if len(rows) < 2 {
		deviation = 0
	}
	return &Value{Mean: mean, Deviation: deviation}
}

// only keeps the axes of some keys in running text.
func only(axes []report.Axis, keys []string) string {
	kept := lists.Where(axes, func(a report.Axis) bool { return slices.Contains(keys, a.Key) })
	return strings.Join(recipe.AxisWords(kept), ", ")
}
