package drawing

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is curves, or a cloud, over two axes, with faint lines at the ticks of Y.
type Panel struct {
	Title  string // "" for none
	Under  string // a second line of the title, "" for none
	X, Y   Axis
	Grid   bool // lines at the ticks of X as well
	Curves []Curve
	Cloud  *Cloud
	Frame  *Frame // nil: none
}

// Frame is a rectangle around a part of a panel, in the panel's own units.
type Frame struct{ X, Y Span }

// Holds says whether a point is in the frame.
func (f *Frame) Holds(x, y float64) bool {
	return x >= f.X.Low && x <= f.X.High && y >= f.Y.Low && y <= f.Y.High
}

// Plot implements plot.Plotter.
func (f *Frame) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	box := vg.Rectangle{
		Min: vg.Point{X: x(f.X.Low), Y: y(f.Y.Low)}, Max: vg.Point{X: x(f.X.High), Y: y(f.Y.High)},
	}
	c.SetLineStyle(draw.LineStyle{Color: Muted, Width: 0.6})
	c.Stroke(box.Path())
}

// plot makes gonum's plot of a panel that is about wide across; c is its cloud as it will be
// arranged, nil where it has none.
func (p *pen) plot(panel *Panel, c *cloud, wide vg.Length) *plot.Plot {
	plt := plot.New()
	plt.BackgroundColor = nil
	plt.TextHandler = p.letters
	if lines := p.heading(panel, wide); len(lines) > 0 {
		plt.Add(heading{p, lines})
	}
	for axis, a := range map[*plot.Axis]Axis{&plt.X: panel.X, &plt.Y: panel.Y} {
		axis.Label.TextStyle.Font = font.From(sans, p.font)
		axis.Label.TextStyle.Handler = p.letters
		axis.Label.Padding = 2
		axis.Tick.Label.Font = font.From(sans, p.font-1)
		axis.Tick.Label.Handler = p.letters
		axis.Tick.Length = 3
		axis.Padding = 0
		axis.Label.Text = a.Title
		axis.Min, axis.Max = a.Range.Low, a.Range.High
		axis.Tick.Marker = plot.ConstantTicks(a.ticks())
	}
	plt.Add(grid{vertical: panel.Grid})
	plt.Add(curves(panel.Curves))
	if panel.Frame != nil {
		plt.Add(panel.Frame)
	}
	if c != nil {
		plt.Add(c)
	}
	return plt
}

// heading is the lines over a panel: its title, wrapped, and what stands under it.
func (p *pen) heading(panel *Panel, wide vg.Length) (lines []string) {
	sty := p.style(draw.XCenter, draw.YBottom)
	for _, text := range []string{clean(panel.Title), clean(panel.Under)} {
		if text != "" {
			lines = append(lines, wrap(sty, text, wide, headingLines)...)
		}
	}
	return lines
}

// heading stands over the middle of a panel's data. gonum's own title stands over the middle of
// data and axis together.
type heading struct {
	pen   *pen
	lines []string
}

const (
	headingLines = 2 // of a title
	headingGap   = vg.Length(3)
	headingOver  = vg.Length(9) // either side of the data it may stand over
)

// GlyphBoxes keeps the room free.
func (h heading) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	height := headingGap + vg.Length(len(h.lines))*h.pen.lineHeight()
	return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: height}}}}
}

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	sty := h.pen.style(draw.XCenter, draw.YBottom)
	lines, wide := make([]string, len(h.lines)), vg.Length(0)
	for i, line := range h.lines {
		lines[i] = fit(sty, line, c.Size().X+2*headingOver)
		wide = max(wide, sty.Width(lines[i]))
	}
	middle := min(c.Center().X, h.pen.width-margin-wide/2) // what stands over the data's edge stays in the figure
	for i, line := range lines {
		at := vg.Point{X: middle, Y: c.Max.Y + headingGap + vg.Length(len(h.lines)-1-i)*h.pen.lineHeight()}
		h.pen.letter(c, sty, at, line)
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
