// Package figure draws the figures of a study from its records, with gonum/plot: the effect of
// lambda_eps, the trade-off between style and content, and training curves.
package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/report"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats lists the formats of Write. Each format is also the extension of the file.
var Formats = []string{"pdf", "png", "svg"}

// A Figure consists of panels in rows, and a legend below them.
type Figure struct {
	panels  []*plot.Plot
	columns int       // panels per row
	height  vg.Length // of one panel
	legend  plot.Legend

	ShowsPaper bool // the figure has values of the paper
}

// A figure is as wide as one column of a two-column paper, or as the paper's whole text.
const (
	columnWidth = 7.7 * vg.Centimeter
	textWidth   = 16 * vg.Centimeter
	gap         = vg.Length(8) // between panels, and above the legend
)

func newFigure(height vg.Length) *Figure {
	f := &Figure{columns: 1, height: height, legend: plot.NewLegend()}
	f.legend.Left, f.legend.Top = true, true
	f.legend.TextStyle.Font = letters(7)
	f.legend.Padding = 2
	return f
}

// width returns the width of the whole figure: that of the paper's text if there are several panels
// per row, otherwise that of one of the paper's two columns.
func (f *Figure) width() vg.Length {
	if f.columns > 1 {
		return textWidth
	}
	return columnWidth
}

// Write draws the figure in one of the Formats. The same figure always gives the same bytes.
func (f *Figure) Write(w io.Writer, format string) error {
	below := f.legend.Rectangle(draw.Canvas{}).Size().Y + 2*gap
	rows := (len(f.panels) + f.columns - 1) / f.columns
	height := vg.Length(rows)*f.height + below
	canvas, err := newCanvas(format, f.width(), height)
	if err != nil {
		return err
	}
	whole := draw.New(canvas)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	grid := make([][]*plot.Plot, rows)
	for i := range grid {
		grid[i] = make([]*plot.Plot, f.columns)
		copy(grid[i], f.panels[i*f.columns:])
	}
	tiles := draw.Tiles{
		Rows: rows, Cols: f.columns, PadX: gap, PadY: gap, PadTop: gap / 2, PadLeft: gap / 2, PadRight: gap / 2,
	}
	canvases := slices.Concat(plot.Align(grid, tiles, draw.Crop(whole, 0, 0, below, 0))...)
	for i, panel := range f.panels {
		panel.Draw(canvases[i])
	}
	f.legend.Draw(draw.Crop(whole, gap, 0, 0, below-height-gap))
	_, err = canvas.WriteTo(w)
	return err
}

// pngDPI is the usual print resolution for pictures that contain text.
const pngDPI = 300

func newCanvas(format string, width, height vg.Length) (vg.CanvasWriterTo, error) {
	switch format {
	case "pdf":
		return vgpdf.New(width, height), nil
	case "png":
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}, nil
	case "svg":
		return svg{vgsvg.New(width, height)}, nil
	}
	return nil, fmt.Errorf("figure format %q is unknown: use one of %s", format, strings.Join(Formats, ", "))
}

// svg is gonum's canvas, except that it also names other fonts for viewers that lack gonum's font.
// The first of them, Arial, has letters of the same widths.
type svg struct{ *vgsvg.Canvas }

// WriteTo writes the picture.
func (c svg) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	one, several := []byte("font-family:Liberation Sans"), []byte("font-family:'Liberation Sans',Arial,sans-serif")
	n, err := w.Write(bytes.ReplaceAll(b.Bytes(), one, several))
	return int64(n), err
}

// init makes PDFs reproducible. Otherwise they would contain the date, and their parts would be in
// random order.
func init() {
	then := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(then)
	fpdf.SetDefaultModificationDate(then)
	fpdf.SetDefaultCatalogSort(true)
}

// letters returns the font of all text in figures, in the given size in points.
func letters(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// newPanel returns an empty panel with faint lines at its ticks.
func newPanel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = plain(title), plain(x), plain(y)
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle} {
		style.Font = letters(8)
	}
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = letters(7), letters(7)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = palette.Faint, palette.Faint
	p.Add(grid)
	return p
}

// maxLetters is the maximum length of a name in a figure.
const maxLetters = 52

// The function plain returns a name in a form that figures can show. Characters beyond ASCII become
// "?", because the font in gonum's PDFs lacks them. If a name is too long, dots replace its middle.
func plain(name string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name))
	if len(letters) > maxLetters {
		return string(letters[:maxLetters-15]) + "..." + string(letters[len(letters)-12:])
	}
	return string(letters)
}

// value is a point of a line, at (x, y). y may be a mean over seeds. bar is half the height of the
// error bar; 0 means no error bar. Only a percentage y may have an error bar.
type value struct{ x, y, bar float64 }

// values implements the interfaces of gonum/plot for lines and error bars.
type values []value

func (v values) Len() int                        { return len(v) }
func (v values) XY(i int) (x, y float64)         { return v[i].x, v[i].y }
func (v values) YError(i int) (float64, float64) { return withinPercent(v[i].y, v[i].bar) }

// withinPercent returns how far the error bar of a percentage v reaches down and up. The bar ends
// at 0 and at 100.
func withinPercent(v, bar float64) (low, high float64) { return min(bar, v), min(bar, 100-v) }

// minPercent is the minimum range of a percentage axis. On a smaller range, noise would look like
// an effect.
const minPercent = 10

// keepPossible widens the range of an axis to at least size, and keeps the range between 0 and
// most.
func keepPossible(axis *plot.Axis, size, most float64) {
	lacks := max(0, size-(axis.Max-axis.Min))
	axis.Min, axis.Max = axis.Min-lacks/2, axis.Max+lacks/2
	if below := -axis.Min; below > 0 {
		axis.Min, axis.Max = 0, min(most, axis.Max+below)
	}
	if above := axis.Max - most; above > 0 {
		axis.Min, axis.Max = max(0, axis.Min-above), most
	}
}

// The type unclipped draws all marks. gonum would leave out marks that are outside the panel only
// because of rounding.
type unclipped struct{ *plotter.Scatter }

// Plot implements plot.Plotter.
func (u unclipped) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, at := range u.XYs {
		c.DrawGlyphNoClip(u.GlyphStyle, vg.Point{X: x(at.X), Y: y(at.Y)})
	}
}

// addLine draws a line with a mark at each value. Values whose bar is above 0 get an error bar.
// addLine returns the entry for the legend.
func addLine(p *plot.Plot, v values, line draw.LineStyle, mark draw.GlyphStyle) ([]plot.Thumbnailer, error) {
	drawn, marks, err := plotter.NewLinePoints(v)
	if err != nil {
		return nil, err
	}
	drawn.LineStyle, marks.GlyphStyle = line, mark
	if barred := lists.Filter(v, func(q value) bool { return q.bar > 0 }); len(barred) > 0 {
		bars, err := plotter.NewYErrorBars(values(barred))
		if err != nil {
			return nil, err
		}
		bars.LineStyle = draw.LineStyle{Color: line.Color, Width: thin}
		p.Add(bars)
	}
	p.Add(drawn, unclipped{marks})
	return []plot.Thumbnailer{drawn, marks}, nil
}

// Widths of lines.
const (
	thin  = vg.Length(0.7)
	thick = vg.Length(1.2)
)

// dashes is the pattern of dashed lines.
var dashes = []vg.Length{3, 2}

// solid returns the line style of the i-th series.
func solid(i int) draw.LineStyle { return draw.LineStyle{Color: palette.Colour(i), Width: thick} }

// These are the shapes of marks. Series differ in colour and shape, so that readers can tell them
// apart when the figure is printed in grey.
var (
	filled = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
	}
	open = []draw.GlyphDrawer{
		draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
	}
)

// markOf returns the mark of the i-th series, with a shape from shapes.
func markOf(i int, shapes []draw.GlyphDrawer) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette.Colour(i), Radius: 2.4, Shape: shapes[i%len(shapes)]}
}

// overSeeds returns the mean and the standard deviation of a number over seeds. With one seed, the
// deviation is 0.
func overSeeds(seeds []*report.Record, of func(*report.Record) float64) (mean, deviation float64) {
	mean, deviation = report.SeedStats(lists.Map(seeds, of))
	if len(seeds) < 2 || math.IsNaN(deviation) {
		deviation = 0
	}
	return mean, deviation
}
