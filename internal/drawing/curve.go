package drawing

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dot is one point of a curve; a NaN Y breaks the line there.
type Dot struct{ X, Y, Deviation float64 }

// Curve is a line through its points, a mark on each, and a bar from a deviation below to one above
// where it looks out from the mark.
type Curve struct {
	Dots []Dot
	Line *Line // nil: none
	Mark *Mark // nil: no marks, but on a point that no line reaches
	// points by which it stands to the right of where it belongs, so that curves of nearly the same
	// values do not lie on each other
	Shift vg.Length
}

// widestSpread is how far the first and the last curve are apart at most: a panel's edges have room
// for it. It is too little for more than mostSpread.
const (
	widestSpread = vg.Length(10)
	mostSpread   = 4
)

// Spread shifts the curves that have dots beside each other, less the more there are, and not if
// they are many.
func Spread(curves []Curve) {
	var drawn []*Curve
	for i := range curves {
		if len(curves[i].Dots) > 0 {
			drawn = append(drawn, &curves[i])
		}
	}
	if len(drawn) > mostSpread {
		return
	}
	n := vg.Length(len(drawn) - 1)
	for i, c := range drawn {
		c.Shift = min(2*markRadius+1, widestSpread/max(1, n)) * (vg.Length(i) - n/2)
	}
}

// curves draws the curves of a panel: all lines, and then all marks, so that no line hides a mark.
type curves []Curve

// Plot implements plot.Plotter.
func (all curves) Plot(c draw.Canvas, p *plot.Plot) {
	for i := range all {
		all[i].lines(c, p)
	}
	for i := range all {
		all[i].marks(c, p)
	}
}

// scales are where a value stands across and up.
func (v *Curve) scales(c *draw.Canvas, p *plot.Plot) (x, y func(float64) vg.Length) {
	across, y := p.Transforms(c)
	return func(at float64) vg.Length { return across(at) + v.Shift }, y
}

// lines draws the line and the bars.
func (v *Curve) lines(c draw.Canvas, p *plot.Plot) {
	x, y := v.scales(&c, p)
	var run []vg.Point
	flush := func() {
		switch {
		case v.Line == nil:
		case len(run) > 1:
			c.StrokeLines(v.Line.style(), run)
		case len(run) == 1 && v.Mark == nil:
			v.Line.Alone().draw(c, run[0])
		}
		run = nil
	}
	for _, d := range v.Dots {
		if math.IsNaN(d.Y) {
			flush()
			continue
		}
		run = append(run, vg.Point{X: x(d.X), Y: y(d.Y)})
	}
	flush()
	for _, d := range v.Dots {
		if math.IsNaN(d.Y) {
			continue
		}
		low, high := y(d.Y-d.Deviation), y(d.Y+d.Deviation)
		if v.Line != nil && d.Deviation > 0 && high-low > 2*markRadius+1 {
			bar := Line{Colour: v.Line.Colour, Thin: true}.style()
			c.StrokeLine2(bar, x(d.X), low, x(d.X), high)
			c.StrokeLine2(bar, x(d.X)-2, low, x(d.X)+2, low)
			c.StrokeLine2(bar, x(d.X)-2, high, x(d.X)+2, high)
		}
	}
}

// marks draws the marks.
func (v *Curve) marks(c draw.Canvas, p *plot.Plot) {
	if v.Mark == nil {
		return
	}
	x, y := v.scales(&c, p)
	for _, d := range v.Dots {
		if !math.IsNaN(d.Y) {
			v.Mark.draw(c, vg.Point{X: x(d.X), Y: y(d.Y)})
		}
	}
}
