// Package drawing draws sheets of panels with gonum/plot: curves, or clouds of named points, over
// two axes, with a legend under all. A Sheet is plain data; Write draws it as PDF, PNG or SVG,
// the same bytes for the same data. It knows nothing of what is drawn.
//
// Colours are those of Okabe and Ito, which colour-blind readers tell apart; marks differ as well,
// for grey printing. PDF and PNG draw their letters from Liberation Sans; a letter that it lacks is
// printed as its code, "[U+65E5]". PDF embeds the letters it uses, and can be searched; SVG names
// the font, and common ones for where it is missing, which keep to its widths; PNG says its
// resolution.
package drawing

import (
	"bytes"
	"image/color"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sheet is a figure: panels in rows, of equal width and height, and a legend under them. The panels
// decide the height. Any text may stand in names, titles and legend; control characters are taken
// out of it.
type Sheet struct {
	Size    Size
	Height  float64 // of a panel, in cm, where Size does not say
	Columns int     // panels in a row
	Panels  []*Panel
	Legend  []Entry
}

// Size is the printed size of a figure. A zero takes the default.
type Size struct {
	Width float64 // of the figure, in cm; default 7.7, a column of a two-column paper
	Panel float64 // height of one panel, its axis included, in cm; the default is the figure's own
	Font  float64 // of axis titles, in points; default 8. All other text is one point smaller.
}

// Formats lists what Write accepts; each is also the ending of such a file's name.
var Formats = []string{"pdf", "png", "svg"}

// Write draws the sheet. format is one of Formats; another one is an error for the user, and
// nothing has been written then.
func (s *Sheet) Write(w io.Writer, format string) error {
	back, known := backEnds[format]
	if !known {
		return userr.New(userr.BadInput, "figure format %q is unknown: use one of %s",
			format, strings.Join(Formats, ", "))
	}
	l := s.layout(newPen(back.spell, s.Size))
	c := back.canvas(l.size())
	l.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// backEnd is what differs between the formats.
type backEnd struct {
	spell  func(string) string // what stands for the letters that it lacks
	canvas func(w, h vg.Length) vg.CanvasWriterTo
}

var backEnds = map[string]backEnd{
	"pdf": {
		spell:  asCodes,
		canvas: func(w, h vg.Length) vg.CanvasWriterTo { return newPDF(w, h) },
	},
	"png": {
		spell: asCodes,
		canvas: func(w, h vg.Length) vg.CanvasWriterTo {
			return png{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}}
		},
	},
	"svg": { // a browser finds letters in other fonts
		spell:  func(s string) string { return s },
		canvas: func(w, h vg.Length) vg.CanvasWriterTo { return newSVG(w, h) },
	},
}

const (
	margin    = vg.Length(2)  // around the figure
	panelGapX = vg.Length(10) // between panels
	panelGapY = vg.Length(8)
	legendGap = vg.Length(8)
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
			clouds[i] = newCloud(p, panel)
		}
		l.plots = append(l.plots, p.plot(panel, clouds[i], (p.width-2*margin)/vg.Length(l.columns)-panelGapX))
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
