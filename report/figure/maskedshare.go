package figure

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// MaskedShare shows where in the sentences the masks fall: the share of masked words by part of the
// sentence, a line a method and data set.
type MaskedShare struct {
	Series []ShareSeries // series of one Panel stand together, in the order of the panels' first series
	Size   drawing.Size  // a panel is 4.5 cm high by default
}

// ShareSeries is one method on one data set.
type ShareSeries struct {
	Panel string // usually the data set; "" where there is one only
	Name  string // the method; equal names have equal colours in all panels
	Parts []Part // of the sentence, from its start; as many as were counted
}

// Part counts the words of all sentences in one of equal parts of the sentence.
type Part struct{ Masked, Words int }

// CountParts counts masked words by part of the sentence: word i of n (from 0) is in part
// i*parts/n, so a sentence of fewer words than parts leaves some of its parts empty. masks has a
// flag a word; parts is at least 1.
func CountParts(masks [][]bool, parts int) []Part {
	counts := make([]Part, parts)
	for _, sentence := range masks {
		for i, masked := range sentence {
			p := &counts[i*parts/len(sentence)]
			p.Words++
			if masked {
				p.Masked++
			}
		}
	}
	return counts
}

func (f MaskedShare) sheet() (*drawing.Sheet, error) {
	var panels, names []string
	y := drawing.Span{} // a share is read from its foot, and panels are compared
	for _, s := range f.Series {
		some := false
		for _, part := range s.Parts {
			if part.Masked < 0 || part.Masked > part.Words {
				return nil, userr.New(userr.BadInput,
					"the figure of masked words, series %q: %d of %d words are masked",
					s.Name, part.Masked, part.Words)
			}
			if part.Words > 0 {
				y.Add(Value{Mean: share(part)})
				some = true
			}
		}
		if some {
			panels, names = lists.AddOnce(panels, s.Panel), lists.AddOnce(names, s.Name)
		}
	}
	if len(panels) == 0 {
		return nil, nothing("masked words by part of the sentence", "the masks of at least one sentence")
	}
	if y.High == 0 {
		y.High = 1
	}
	s := &drawing.Sheet{Size: f.Size, Height: 4.5, Columns: min(2, len(panels))}
	for i, name := range panels {
		panel := &drawing.Panel{
			Title: name,
			X:     drawing.Axis{Range: drawing.Span{High: 100}, Most: 6},
			Y:     drawing.Axis{Range: drawing.Span{High: y.High * 1.08}, Most: 6},
		}
		if i%s.Columns == 0 {
			panel.Y.Title = "masked words, %"
		}
		if i >= len(panels)-s.Columns {
			panel.X.Title = "position in the sentence, %"
		}
		for _, series := range f.Series {
			if series.Panel == name {
				panel.Curves = append(panel.Curves, shareCurve(series, slices.Index(names, series.Name)))
			}
		}
		s.Panels = append(s.Panels, panel)
	}
	for i, name := range names {
		if len(names) > 1 || name != "" {
			c := shareCurve(ShareSeries{}, i)
			s.Legend = append(s.Legend, drawing.Entry{Text: name, Line: c.Line, Mark: c.Mark})
		}
	}
	return s, nil
}

// share is in percent.
func share(p Part) float64 { return 100 * float64(p.Masked) / float64(p.Words) }

// shareCurve puts each part in the middle of its stretch of the sentence.
func shareCurve(s ShareSeries, i int) drawing.Curve {
	c := drawing.Curve{
		Line: &drawing.Line{Colour: drawing.Colour(i)},
		Mark: &drawing.Mark{Colour: drawing.Colour(i), Shape: drawing.ShapeOf(i)},
	}
	for j, part := range s.Parts {
		d := drawing.Dot{X: (float64(j) + 0.5) * 100 / float64(len(s.Parts)), Y: math.NaN()}
		if part.Words > 0 {
			d.Y = share(part)
		}
		c.Dots = append(c.Dots, d)
	}
	return c
}
