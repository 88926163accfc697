package drawing

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pgf is a canvas that writes a pgfpicture. gonum's own vgtex does not close paths, writes numbers
// with exponents, which TeX cannot read, and takes the picture's size from its letters.
type pgf struct {
	b      bytes.Buffer
	w, h   vg.Length
	states []pgfState
}

type pgfState struct {
	color color.Color
	width vg.Length
	dash  []vg.Length
}

func newPGF(w, h vg.Length) *pgf {
	c := &pgf{w: w, h: h, states: []pgfState{{color: color.Black, width: 1}}}
	c.put("%% A figure of smlm-exp: \\input it in a document that has \\usepackage{pgf}.\n\\begin{pgfpicture}\n")
	corner := pgfPoint(vg.Point{X: w, Y: h})
	c.put("\\pgfpathrectangle{\\pgfpointorigin}{%s}\n\\pgfusepath{use as bounding box}\n", corner)
	c.put("%s\n", pgfFit)
	return c
}

// pgfFit sets text, aligned at a point, and squeezes what the document's font makes wider than the
// room that was measured for it. The name lives as long as the picture.
const pgfFit = `\def\smlmfit#1#2#3{\makebox[0pt][#1]{\setbox0=\hbox{#3}` +
	`\ifdim\wd0>#2\resizebox{#2}{\height}{\box0}\else\box0\fi}}`

func (c *pgf) put(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

func (c *pgf) state() *pgfState { return &c.states[len(c.states)-1] }

// pgfNumber writes x to a thousandth; points are those of PostScript, which TeX calls bp.
func pgfNumber(x float64) string {
	x = math.Round(x*1000) / 1000
	return strconv.FormatFloat(x+0, 'f', -1, 64) // + 0: no minus zero
}

func pgfLength(x vg.Length) string { return pgfNumber(x.Points()) + "bp" }

func pgfPoint(p vg.Point) string {
	return "\\pgfpoint{" + pgfLength(p.X) + "}{" + pgfLength(p.Y) + "}"
}

func (c *pgf) Size() (w, h vg.Length)                    { return c.w, c.h }
func (c *pgf) SetLineWidth(w vg.Length)                  { c.state().width = w }
func (c *pgf) SetLineDash(dash []vg.Length, _ vg.Length) { c.state().dash = dash }
func (c *pgf) Translate(p vg.Point)                      { c.put("\\pgftransformshift{%s}\n", pgfPoint(p)) }
func (c *pgf) DrawImage(vg.Rectangle, image.Image)       { panic("a figure holds no images") }

func (c *pgf) Rotate(rad float64) { c.put("\\pgftransformrotate{%s}\n", pgfNumber(rad*180/math.Pi)) }

func (c *pgf) Scale(x, y float64) {
	c.put("\\pgftransformxscale{%s}\\pgftransformyscale{%s}\n", pgfNumber(x), pgfNumber(y))
}

func (c *pgf) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.state().color = clr
}

func (c *pgf) Push() {
	c.states = append(c.states, *c.state())
	c.put("\\begin{pgfscope}\n")
}

func (c *pgf) Pop() {
	c.states = c.states[:len(c.states)-1]
	c.put("\\end{pgfscope}\n")
}

// ink opens a scope in the current colour. All colours here are opaque.
func (c *pgf) ink() {
	r, g, b, _ := c.state().color.RGBA()
	part := func(x uint32) string { return pgfNumber(float64(x) / 0xffff) }
	c.put("\\begin{pgfscope}\\color[rgb]{%s,%s,%s}", part(r), part(g), part(b))
}

func (c *pgf) Stroke(p vg.Path) {
	if c.state().width <= 0 {
		return
	}
	c.ink()
	c.put("\\pgfsetlinewidth{%s}", pgfLength(c.state().width))
	if len(c.state().dash) > 0 {
		c.put("\\pgfsetdash{")
		for _, d := range c.state().dash {
			c.put("{%s}", pgfLength(d))
		}
		c.put("}{0bp}")
	}
	c.path(p)
	c.put("\\pgfusepath{stroke}\\end{pgfscope}\n")
}

func (c *pgf) Fill(p vg.Path) {
	c.ink()
	c.path(p)
	c.put("\\pgfusepath{fill}\\end{pgfscope}\n")
}

func (c *pgf) path(p vg.Path) {
	c.put("\n")
	for _, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			c.put("\\pgfpathmoveto{%s}\n", pgfPoint(comp.Pos))
		case vg.LineComp:
			c.put("\\pgfpathlineto{%s}\n", pgfPoint(comp.Pos))
		case vg.ArcComp: // the path has been moved to its start
			start, angle := comp.Start*180/math.Pi, comp.Angle*180/math.Pi
			c.put("\\pgfpatharc{%s}{%s}{%s}\n", pgfNumber(start), pgfNumber(start+angle), pgfLength(comp.Radius))
		case vg.CloseComp:
			c.put("\\pgfpathclose\n")
		default:
			panic("a figure draws no curves but arcs")
		}
	}
}

// FillString takes TeX, as lettering makes it: its own box, with text standing left, right or in
// the middle of p.
func (c *pgf) FillString(f font.Face, p vg.Point, tex string) {
	c.ink()
	size := f.Font.Size.Points()
	c.put("\\pgftext[base,left,at={%s}]{\\fontsize{%s}{%s}\\selectfont %s}\\end{pgfscope}\n",
		pgfPoint(p), pgfNumber(size), pgfNumber(1.2*size), tex)
}

// WriteTo ends the picture. Every line ends in % but those within it, which pgf ignores.
func (c *pgf) WriteTo(w io.Writer) (int64, error) {
	c.put("\\end{pgfpicture}%%\n")
	return c.b.WriteTo(w)
}
