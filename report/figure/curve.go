package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dot is one point of a curve; a NaN y breaks the line there.
type dot struct{ x, y, deviation float64 }

// curve is a line through its points, a mark on each, and a bar from a deviation below to one above where it looks out from the mark.
type curve struct {
	dots []dot
	line draw.LineStyle  // no width: no line
	mark draw.GlyphStyle // no shape: no marks, but on a point that no line reaches
}

// alone is the mark of a point that no line reaches, open where the line would be dashed.
func alone(line draw.LineStyle) draw.GlyphStyle {
	return draw.GlyphStyle{Color: line.Color, Radius: 0.7 * markRadius, Shape: mark{shape: circle, open: len(line.Dashes) > 0}}
}

const (
	lineWidth  = vg.Length(1.2)
	thinWidth  = vg.Length(0.7)
	markRadius = vg.Length(2.4)
)

// Plot implements plot.Plotter.
func (v curve) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var run []vg.Point
	flush := func() {
		if len(run) > 1 && v.line.Width > 0 {
			c.StrokeLines(v.line, run)
		}
		if len(run) == 1 && v.mark.Shape == nil && v.line.Width > 0 {
			c.DrawGlyphNoClip(alone(v.line), run[0])
		}
		run = nil
	}
	for _, d := range v.dots {
		if math.IsNaN(d.y) {
			flush()
			continue
		}
		run = append(run, vg.Point{X: x(d.x), Y: y(d.y)})
	}
	flush()
	for _, d := range v.dots {
		if math.IsNaN(d.y) {
			continue
		}
		low, high := y(d.y-d.deviation), y(d.y+d.deviation)
		if d.deviation > 0 && high-low > 2*markRadius+1 {
			bar := draw.LineStyle{Color: v.line.Color, Width: thinWidth}
			c.StrokeLine2(bar, x(d.x), low, x(d.x), high)
			c.StrokeLine2(bar, x(d.x)-2, low, x(d.x)+2, low)
			c.StrokeLine2(bar, x(d.x)-2, high, x(d.x)+2, high)
		}
		if v.mark.Shape != nil {
			c.DrawGlyphNoClip(v.mark, vg.Point{X: x(d.x), Y: y(d.y)})
		}
	}
}

// grid is faint lines at the ticks, across the panel.
type grid struct{ vertical bool }

// Plot implements plot.Plotter.
func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := draw.LineStyle{Color: faint, Width: 0.5}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Value == p.Y.Min {
			continue // that is the axis
		}
		c.StrokeLine2(sty, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
	if g.vertical {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			c.StrokeLine2(sty, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
}
