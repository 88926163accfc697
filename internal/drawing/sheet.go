package drawing

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

const (
	margin    = vg.Length(2)  // around the figure
	panelGapX = vg.Length(10) // between panels
	panelGapY = vg.Length(6)
	legendGap = vg.Length(5)
)

// layout is a sheet ready to draw with a pen.
type layout struct {
	pen     *pen
	columns int
	panel   vg.Length // height of a panel
	plots   []*plot.Plot
	entries []Entry // of the legend
	numbers []Entry // a second legend under it: the names of numbered points
}

func (s *Sheet) layout(p *pen) *layout {
	l := &layout{
		pen: p, columns: max(1, s.Columns), panel: vg.Length(or(s.Size.Panel, s.Height)) * vg.Centimeter,
		entries: slices.Clone(s.Legend),
	}
	for i := range l.entries {
		l.entries[i].Text = clean(l.entries[i].Text)
	}
	clouds := make([]*cloud, len(s.Panels))
	for i, panel := range s.Panels {
		if panel.Cloud != nil {
			clouds[i] = newCloud(p, panel.Cloud)
		}
		l.plots = append(l.plots, p.plot(panel, clouds[i]))
	}
	// Where the names stand depends on the panels' size alone, and the legend on which names found
	// no room.
	for i, rect := range l.dataRectangles() {
		if clouds[i] != nil {
			l.numbers = append(l.numbers, clouds[i].arrange(l.plots[i], rect, len(l.numbers)+1)...)
		}
	}
	return l
}

func (l *layout) rows() int { return (len(l.plots) + l.columns - 1) / l.columns }

// area is what the panels fill of a figure with the given lower edge.
func (l *layout) area(c vg.Canvas, bottom vg.Length) draw.Canvas {
	rows := vg.Length(l.rows())
	return draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{
		Min: vg.Point{X: margin, Y: bottom},
		Max: vg.Point{X: l.pen.width - margin, Y: bottom + rows*l.panel + (rows-1)*panelGapY},
	}}
}

// tiles returns the canvas of every panel, aligned so that their axes have equal lengths.
func (l *layout) tiles(area draw.Canvas) []draw.Canvas {
	grid := make([][]*plot.Plot, l.rows())
	for i := range grid {
		grid[i] = make([]*plot.Plot, l.columns)
		copy(grid[i], l.plots[i*l.columns:])
	}
	gaps := draw.Tiles{Rows: l.rows(), Cols: l.columns, PadX: panelGapX, PadY: panelGapY}
	return slices.Concat(plot.Align(grid, gaps, area)...)[:len(l.plots)]
}

// dataRectangles returns where the data of every panel will stand, up to a shift that is the same
// for all. What goes into the legend may depend on it.
func (l *layout) dataRectangles() []vg.Rectangle {
	var rects []vg.Rectangle
	for i, tile := range l.tiles(l.area(&recorder.Canvas{}, 0)) {
		rects = append(rects, l.plots[i].DataCanvas(tile).Rectangle)
	}
	return rects
}

// legends returns those that have entries, from the top.
func (l *layout) legends() []*legend {
	var all []*legend
	for _, entries := range [][]Entry{l.entries, l.numbers} {
		if len(entries) > 0 {
			all = append(all, l.pen.legend(entries, l.pen.width-2*margin-10))
		}
	}
	return all
}

// bottom is the lower edge of the panels.
func (l *layout) bottom() vg.Length {
	y := margin
	for _, g := range l.legends() {
		y += g.height() + legendGap
	}
	return y
}

func (l *layout) size() (width, height vg.Length) {
	return l.pen.width, l.area(nil, l.bottom()).Max.Y + margin
}

func (l *layout) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := l.bottom()
	for i, tile := range l.tiles(l.area(c, top)) {
		l.plots[i].Draw(tile)
	}
	for _, g := range l.legends() {
		top -= legendGap
		left := margin + max(0, (l.pen.width-2*margin-g.width())/2)
		g.draw(draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{
			Min: vg.Point{X: left, Y: top - g.height()}, Max: vg.Point{X: l.pen.width - margin, Y: top},
		}})
		top -= g.height()
	}
}
