package figure

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// finite is an error for the user where one of the values is no number; what names the figure and the series.
func finite(what string, values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return userr.New(userr.BadInput, "%s has the value %v, which cannot be drawn: leave the point out", what, v)
		}
	}
	return nil
}

// nothing is the error of a figure without a point.
func nothing(figure, needs string) error {
	return userr.New(userr.BadInput, "the figure of %s has nothing to draw: it needs %s", figure, needs)
}
