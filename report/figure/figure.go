// Package figure holds the figures of a study: the effect of lambda_eps (LambdaEps), the trade-off
// between style and content (TradeOff), training curves (Training) and where in a sentence the
// masks fall (MaskedShare). A figure is plain data, which the caller fills or LambdaEpsOf,
// TradeOffOf and TrainingOf make of the rows of the study's tables; Write checks it, lays it out
// as panels of curves or points, and leaves the drawing to internal/drawing.
package figure

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
)

// Formats lists what Write accepts; each is also the ending of such a file's name.
var Formats = drawing.Formats

// Figure is one of the figures of this package.
type Figure interface {
	// sheet lays the figure out.
	sheet() (*drawing.Sheet, error)
}

// Write draws a figure. format is one of Formats. Nothing to draw, a value that is no number, or an
// unknown format is an error for the user; nothing has been written then.
func Write(w io.Writer, f Figure, format string) error {
	s, err := f.sheet()
	if err != nil {
		return err
	}
	symbolic(s)
	return s.Write(w, format)
}

// symbolic writes the keys of weights in a sheet's texts as the paper has them: λ with a subscript.
func symbolic(s *drawing.Sheet) {
	for _, p := range s.Panels {
		for _, text := range []*string{&p.Title, &p.Under, &p.X.Title, &p.Y.Title} {
			*text = drawing.Symbols(*text)
		}
		if p.Cloud == nil {
			continue
		}
		for i := range p.Cloud.Points {
			q := &p.Cloud.Points[i]
			q.Name = drawing.Symbols(q.Name)
		}
	}
	for i := range s.Legend {
		s.Legend[i].Text = drawing.Symbols(s.Legend[i].Text)
	}
}

// Value is one measurement, or the mean of several seeds with their standard deviation.
type Value = drawing.Value

// single is a single measurement.
func single(x float64) *Value { return &Value{Mean: x} }

// finite is an error for the user where one of the values that are known is no number; what names
// the figure and the series.
func finite(what string, values ...*float64) error {
	for _, v := range values {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			return userr.New(userr.BadInput, "%s has the value %v, which cannot be drawn: leave the point out",
				what, *v)
		}
	}
	return nil
}

// nothing is the error of a figure without a point.
func nothing(figure, needs string) error {
	return userr.New(userr.BadInput, "the figure of %s has nothing to draw: it needs %s", figure, needs)
}

// overSeeds is the mean of a number with its deviation, 0 of one seed.
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
