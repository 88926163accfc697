package figure

import (
	"image/color"

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

// sheet is a figure ready to draw: panels in rows, of equal width and height, and a legend under them. The panels decide the height.
type sheet struct {
	pen     *pen
	columns int
	panel   vg.Length // height of a panel
	panels  []*plot.Plot
	entries []entry // of the legend
	numbers []entry // a second legend under it: the names of numbered points
}

func (s *sheet) rows() int { return (len(s.panels) + s.columns - 1) / s.columns }

// area is what the panels fill of a figure with the given lower edge.
func (s *sheet) area(c vg.Canvas, bottom vg.Length) draw.Canvas {
	rows := vg.Length(s.rows())
	return draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{
		Min: vg.Point{X: margin, Y: bottom},
		Max: vg.Point{X: s.pen.width - margin, Y: bottom + rows*s.panel + (rows-1)*panelGapY},
	}}
}

// tiles returns the canvas of every panel, aligned so that their axes have equal lengths.
func (s *sheet) tiles(area draw.Canvas) []draw.Canvas {
	grid := make([][]*plot.Plot, s.rows())
	for i := range grid {
		grid[i] = make([]*plot.Plot, s.columns)
		copy(grid[i], s.panels[i*s.columns:])
	}
	var tiles []draw.Canvas
	for _, row := range plot.Align(grid, draw.Tiles{Rows: s.rows(), Cols: s.columns, PadX: panelGapX, PadY: panelGapY}, area) {
		tiles = append(tiles, row...)
	}
	return tiles[:len(s.panels)]
}

// dataRectangles returns where the data of every panel will stand, up to a shift that is the same for all. What goes into the legend may
// depend on it.
func (s *sheet) dataRectangles() []vg.Rectangle {
	var rects []vg.Rectangle
	for i, tile := range s.tiles(s.area(&recorder.Canvas{}, 0)) {
		rects = append(rects, s.panels[i].DataCanvas(tile).Rectangle)
	}
	return rects
}

// legends returns those that have entries, from the top.
func (s *sheet) legends() []*legend {
	var all []*legend
	for _, entries := range [][]entry{s.entries, s.numbers} {
		if len(entries) > 0 {
			all = append(all, s.pen.legend(entries, s.pen.width-2*margin-10))
		}
	}
	return all
}

// bottom is the lower edge of the panels.
func (s *sheet) bottom() vg.Length {
	y := margin
	for _, l := range s.legends() {
		y += l.height() + legendGap
	}
	return y
}

func (s *sheet) size() (width, height vg.Length) {
	return s.pen.width, s.area(nil, s.bottom()).Max.Y + margin
}

func (s *sheet) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := s.bottom()
	for i, tile := range s.tiles(s.area(c, top)) {
		s.panels[i].Draw(tile)
	}
	for _, l := range s.legends() {
		top -= legendGap
		left := margin + max(0, (s.pen.width-2*margin-l.width())/2)
		l.draw(draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{Min: vg.Point{X: left, Y: top - l.height()}, Max: vg.Point{X: s.pen.width - margin, Y: top}}})
		top -= l.height()
	}
}
