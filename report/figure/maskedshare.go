package figure

import (
	"io"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"gonum.org/v1/plot/vg/draw"
)

// MaskedShare shows where in the sentences the masks fall: the share of masked words by part of the sentence, a line a method and data set.
type MaskedShare struct {
	Series []ShareSeries // series of one Panel stand together, in the order of the panels' first series
	Size   Size          // a panel is 4.5 cm high by default
}

// ShareSeries is one method on one data set.
type ShareSeries struct {
	Panel string // usually the data set; "" where there is one only
	Name  string // the method; equal names have equal colours in all panels
	Parts []Part // of the sentence, from its start; as many as were counted
}

// Part counts the words of all sentences in one of equal parts of the sentence.
type Part struct{ Masked, Words int }

// CountParts counts masked words by part of the sentence: word i of n (from 0) is in part i*parts/n, so a sentence of fewer words than parts leaves
// some of its parts empty. masks has a flag a word; parts is at least 1.
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

// Write implements Figure.
func (f MaskedShare) Write(w io.Writer, format string) error {
	return write(w, format, f.Size, f.sheet)
}

func (f MaskedShare) sheet(p *pen) (*sheet, error) {
	var panels, names []string
	y := span{0, 0} // a share is read from its foot, and panels are compared
	for _, s := range f.Series {
		some := false
		for _, part := range s.Parts {
			if part.Masked < 0 || part.Masked > part.Words {
				return nil, userr.New(userr.BadInput, "the figure of masked words, series %q: %d of %d words are masked", s.Name, part.Masked, part.Words)
			}
			if part.Words > 0 {
				y.add(share(part))
				some = true
			}
		}
		if some {
			panels, names = addOnce(panels, s.Panel), addOnce(names, s.Name)
		}
	}
	if len(panels) == 0 {
		return nil, nothing("masked words by part of the sentence", "the masks of at least one sentence")
	}
	s := &sheet{pen: p, columns: min(2, len(panels)), panel: p.panelOr(4.5)}
	if y.high == 0 {
		y.high = 1
	}
	for i, panel := range panels {
		plt := p.axes(clean(panel), "", "")
		span{0, 100}.set(&plt.X, 6)
		span{0, y.high * 1.08}.set(&plt.Y, 6)
		if i%s.columns == 0 {
			plt.Y.Label.Text = "masked words, %"
		}
		if i >= len(panels)-s.columns {
			plt.X.Label.Text = "place in the sentence, %"
		}
		plt.Add(grid{})
		for _, series := range f.Series {
			if series.Panel == panel {
				plt.Add(shareCurve(series, slices.Index(names, series.Name)))
			}
		}
		s.panels = append(s.panels, plt)
	}
	for i, name := range names {
		c := shareCurve(ShareSeries{}, i)
		if len(names) > 1 || name != "" {
			s.entries = append(s.entries, entry{text: clean(name), line: &c.line, mark: &c.mark})
		}
	}
	return s, nil
}

// share is in percent.
func share(p Part) float64 { return 100 * float64(p.Masked) / float64(p.Words) }

// shareCurve puts each part in the middle of its stretch of the sentence.
func shareCurve(s ShareSeries, i int) curve {
	c := curve{
		line: draw.LineStyle{Color: colourOf(i), Width: lineWidth},
		mark: draw.GlyphStyle{Color: colourOf(i), Radius: markRadius, Shape: mark{shape: shapeOf(i)}},
	}
	for j, part := range s.Parts {
		d := dot{x: (float64(j) + 0.5) * 100 / float64(len(s.Parts)), y: math.NaN()}
		if part.Words > 0 {
			d.y = share(part)
		}
		c.dots = append(c.dots, d)
	}
	return c
}

// addOnce appends s where list lacks it.
func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
