package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
)

// LambdaEps is the paper's figure "Effect of lambda_epsilon on the resultant style-masked
// sentences": character-level s-BLEU of the masked sentences (top) and the accuracy of the
// classifier on them (bottom), over lambda_eps, a line a data set. The paper's curve, of which the
// values stand in its authors' notebook, is dashed, with open marks, in the colour of ours.
type LambdaEps struct {
	Series []EpsSeries
	Size   drawing.Size // a panel is 4 cm high by default
}

// EpsSeries is one data set, or one method on it.
type EpsSeries struct {
	Name   string
	Points []EpsPoint // ours, in any order; may be empty
	Paper  []EpsPoint // the paper's, in any order; may be empty
}

// EpsPoint is what was measured at one lambda_eps; nil: not known.
type EpsPoint struct {
	LambdaEps float64
	// the deviations are drawn as bars: of several seeds the standard deviation, of one what the
	// caller knows of the test sentences
	SBLEU    *Value // of the masked sentences against the sources, over characters, percent
	Accuracy *Value // of the classifier on the masked sentences, percent
}

func (f LambdaEps) sheet() (*drawing.Sheet, error) {
	at := []float64{}
	ours, paper := false, false
	for _, s := range f.Series {
		for _, q := range slices.Concat(s.Points, s.Paper) {
			for _, v := range []*Value{{Mean: q.LambdaEps}, q.SBLEU, q.Accuracy} {
				if v == nil {
					continue
				}
				what := fmt.Sprintf("the figure of lambda_eps, series %q,", s.Name)
				if err := finite(what, &v.Mean, &v.Deviation); err != nil {
					return nil, err
				}
			}
			if q.SBLEU != nil || q.Accuracy != nil {
				at = append(at, q.LambdaEps)
			}
		}
		ours, paper = ours || len(s.Points) > 0, paper || len(s.Paper) > 0
	}
	if len(at) == 0 {
		return nil, nothing("lambda_eps", "the masks of at least one data set at one lambda_eps, scored")
	}
	sbleu := f.panel(at, "char s-BLEU, %", func(q EpsPoint) *Value { return q.SBLEU })
	accuracy := f.panel(at, "accuracy, %", func(q EpsPoint) *Value { return q.Accuracy })
	if meet(sbleu.Curves) || meet(accuracy.Curves) { // both alike, as they stand above each other
		drawing.Spread(sbleu.Curves)
		drawing.Spread(accuracy.Curves)
	}
	accuracy.X.Title = "lambda_eps" // as the key is called, and the other keys in the legend
	s := &drawing.Sheet{Size: f.Size, Height: 4, Columns: 1, Panels: []*drawing.Panel{sbleu, accuracy}}
	for i, series := range f.Series {
		c := epsCurve(i, len(series.Points) == 0)
		s.Legend = append(s.Legend, drawing.Entry{Text: series.Name, Line: c.Line, Mark: c.Mark})
	}
	if ours && paper {
		s.Legend = append(s.Legend,
			drawing.Entry{Text: "ours", Line: &drawing.Line{Colour: drawing.Muted}},
			drawing.Entry{
				Text: "the paper (authors’ notebook)", Line: &drawing.Line{Colour: drawing.Muted, Dashed: true},
			})
	}
	return s, nil
}

// near is how far marks are apart, in percent, that lie on each other.
const near = 6

// meet says whether marks of two curves at one lambda_eps, or their bars, lie on each other.
func meet(curves []drawing.Curve) bool {
	seen := map[float64][]drawing.Dot{}
	for _, c := range curves {
		for _, d := range c.Dots {
			for _, other := range seen[d.X] {
				if math.Abs(d.Y-other.Y) < max(near, d.Deviation+other.Deviation) {
					return true
				}
			}
			seen[d.X] = append(seen[d.X], d)
		}
	}
	return false
}

// epsCurve is the i-th series' curve, still without points.
func epsCurve(i int, paper bool) drawing.Curve {
	return drawing.Curve{
		Line: &drawing.Line{Colour: drawing.Colour(i), Dashed: paper},
		Mark: &drawing.Mark{Colour: drawing.Colour(i), Shape: drawing.ShapeOf(i), Open: paper},
	}
}

func (f LambdaEps) panel(at []float64, title string, value func(EpsPoint) *Value) *drawing.Panel {
	panel := &drawing.Panel{Grid: true}
	x := drawing.Span{} // the axes are whole: from 0, and of a percentage to 100
	for _, v := range at {
		x.Add(Value{Mean: v})
	}
	draws := func(i int, points []EpsPoint, paper bool) {
		points = slices.Clone(points)
		slices.SortStableFunc(points, func(a, b EpsPoint) int { return cmp.Compare(a.LambdaEps, b.LambdaEps) })
		c := epsCurve(i, paper)
		for _, q := range points {
			if v := value(q); v != nil {
				c.Dots = append(c.Dots, drawing.Dot{X: q.LambdaEps, Y: v.Mean, Deviation: v.Deviation})
			}
		}
		panel.Curves = append(panel.Curves, c)
	}
	for i, s := range f.Series { // ours last, over the paper's
		draws(i, s.Paper, true)
	}
	for i, s := range f.Series {
		draws(i, s.Points, false)
	}
	panel.X = drawing.Axis{Range: x.Padded(0.04), Most: 6, At: append([]float64{0}, at...)}
	panel.Y = drawing.Axis{Title: title, Range: drawing.Span{High: 100}, Most: 6}
	return panel
}
