package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// heading stands over the middle of a panel's data. gonum's own title stands over the middle of data and axis together.
type heading struct {
	pen  *pen
	text string
}

const headingGap = vg.Length(3)

// GlyphBoxes keeps the room free.
func (h heading) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: headingGap + h.pen.lineHeight()}}}}
}

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	sty := h.pen.style(draw.XCenter, draw.YBottom)
	h.pen.letter(c, sty, vg.Point{X: c.Center().X, Y: c.Max.Y + headingGap}, fit(sty, h.text, c.Size().X))
}
