package figure

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// LambdaEps is the paper's figure "Effect of lambda_epsilon on the resultant style-masked sentences": character-level s-BLEU of the masked sentences (top)
// and the accuracy of the classifier on them (bottom), over lambda_eps, a line a data set. The paper's curve, of which the values stand in
// its authors' notebook, is dashed, with open marks, in the colour of ours.
type LambdaEps struct {
	Series []EpsSeries
	Size   Size // a panel is 4 cm high by default
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
	SBLEU     *Value // of the masked sentences against the sources, over characters, percent
	Accuracy  *Value // of the classifier on the masked sentences, percent
}

// Write implements Figure.
func (f LambdaEps) Write(w io.Writer, format string) error {
	return write(w, format, f.Size, f.sheet)
}

func (f LambdaEps) sheet(p *pen) (*sheet, error) {
	at := []float64{}
	ours, paper := false, false
	for _, s := range f.Series {
		for _, list := range [][]EpsPoint{s.Points, s.Paper} {
			for _, q := range list {
				if err := finite(fmt.Sprintf("the figure of lambda_eps, series %q,", s.Name), epsNumbers(q)...); err != nil {
					return nil, err
				}
				if q.SBLEU != nil || q.Accuracy != nil {
					at = append(at, q.LambdaEps)
				}
			}
		}
		ours, paper = ours || len(s.Points) > 0, paper || len(s.Paper) > 0
	}
	if len(at) == 0 {
		return nil, nothing("lambda_eps", "the masks of at least one data set at one lambda_eps, scored")
	}
	sbleu := f.panel(p, at, "char s-BLEU, %", func(q EpsPoint) *Value { return q.SBLEU })
	accuracy := f.panel(p, at, "accuracy, %", func(q EpsPoint) *Value { return q.Accuracy })
	accuracy.X.Label.Text = lambdaEps
	s := &sheet{pen: p, columns: 1, panel: p.panelOr(4), panels: []*plot.Plot{sbleu, accuracy}}
	for i, series := range f.Series {
		line, m := epsStyle(i, len(series.Points) == 0)
		s.entries = append(s.entries, entry{text: clean(series.Name), line: &line, mark: &m})
	}
	if ours && paper {
		s.entries = append(s.entries,
			entry{text: "ours", line: &draw.LineStyle{Color: muted, Width: lineWidth}},
			entry{text: "the paper (authors’ notebook)", line: &draw.LineStyle{Color: muted, Width: lineWidth, Dashes: dashed}})
	}
	return s, nil
}

func epsNumbers(q EpsPoint) []float64 {
	n := []float64{q.LambdaEps}
	for _, v := range []*Value{q.SBLEU, q.Accuracy} {
		if v != nil {
			n = append(n, v.Mean, v.Deviation)
		}
	}
	return n
}

func epsStyle(i int, paper bool) (draw.LineStyle, draw.GlyphStyle) {
	line := draw.LineStyle{Color: colourOf(i), Width: lineWidth}
	if paper {
		line.Dashes = dashed
	}
	return line, draw.GlyphStyle{Color: colourOf(i), Radius: markRadius, Shape: mark{shapeOf(i), paper}}
}

func (f LambdaEps) panel(p *pen, at []float64, title string, value func(EpsPoint) *Value) *plot.Plot {
	plt := p.axes("", "", title)
	plt.Add(grid{vertical: true})
	x, y := emptySpan(), emptySpan()
	for _, v := range at {
		x.add(v)
	}
	draws := func(i int, points []EpsPoint, paper bool) {
		points = slices.Clone(points)
		slices.SortStableFunc(points, func(a, b EpsPoint) int { return cmp.Compare(a.LambdaEps, b.LambdaEps) })
		c := curve{}
		c.line, c.mark = epsStyle(i, paper)
		for _, q := range points {
			if v := value(q); v != nil {
				y.addValue(v)
				c.dots = append(c.dots, dot{q.LambdaEps, v.Mean, v.Deviation})
			}
		}
		plt.Add(c)
	}
	for i, s := range f.Series { // ours last, over the paper's
		draws(i, s.Paper, true)
	}
	for i, s := range f.Series {
		draws(i, s.Points, false)
	}
	if math.IsInf(y.low, 0) {
		y = span{0, 100}
	}
	x.padded(0.04).set(&plt.X, 6)
	if ticks := ticksAt(at, 8, 0.08); ticks != nil {
		plt.X.Tick.Marker = plot.ConstantTicks(ticks)
	}
	y.padded(0.07).set(&plt.Y, 6)
	return plt
}
