package drawing

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svg is a canvas that writes SVG. gonum's own vgsvg has every colour in a style attribute, which
// the rules for a dark screen cannot override.
type svg struct {
	w, h   vg.Length
	b      strings.Builder
	states []svgState
}

// svgState is what the scopes that are open have set.
type svgState struct {
	at     [6]float64 // the matrix from gonum's points to SVG's: x' = at[0] x + at[2] y + at[4]
	colour string
	width  vg.Length
	dash   []vg.Length
}

// svgFonts are the family of all letters, others of the same widths for machines that lack it, and
// the one that every viewer has.
const svgFonts = "'Liberation Sans',Arial,Helvetica,sans-serif"

func newSVG(w, h vg.Length) *svg {
	// SVG has its origin at the upper left, gonum at the lower left.
	upright := [6]float64{1, 0, 0, -1, 0, h.Points()}
	return &svg{w: w, h: h, states: []svgState{{at: upright, width: 1, colour: hex(Ink)}}}
}

func (c *svg) state() *svgState { return &c.states[len(c.states)-1] }

func (c *svg) Size() (w, h vg.Length)                    { return c.w, c.h }
func (c *svg) SetLineWidth(w vg.Length)                  { c.state().width = w }
func (c *svg) SetLineDash(dash []vg.Length, _ vg.Length) { c.state().dash = dash }
func (c *svg) Push()                                     { c.states = append(c.states, *c.state()) }
func (c *svg) Pop()                                      { c.states = c.states[:len(c.states)-1] }
func (c *svg) DrawImage(vg.Rectangle, image.Image)       { panic("a figure holds no images") }

// SetColor takes opaque colours, and has no other.
func (c *svg) SetColor(clr color.Color) {
	if clr == nil {
		clr = Ink
	}
	c.state().colour = hex(clr)
}

func (c *svg) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.apply(cos, sin, -sin, cos, 0, 0)
}

func (c *svg) Translate(p vg.Point) { c.apply(1, 0, 0, 1, p.X.Points(), p.Y.Points()) }
func (c *svg) Scale(x, y float64)   { c.apply(x, 0, 0, y, 0, 0) }

// apply makes what is drawn from now on go through a matrix first.
func (c *svg) apply(xx, yx, xy, yy, x, y float64) {
	m := &c.state().at
	*m = [6]float64{
		m[0]*xx + m[2]*yx, m[1]*xx + m[3]*yx, m[0]*xy + m[2]*yy, m[1]*xy + m[3]*yy,
		m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5],
	}
}

// place is a point in SVG's coordinates.
func (c *svg) place(p vg.Point) string {
	m, x, y := c.state().at, p.X.Points(), p.Y.Points()
	return svgNumber(m[0]*x+m[2]*y+m[4]) + " " + svgNumber(m[1]*x+m[3]*y+m[5])
}

// svgNumber writes x to a thousandth of a point.
func svgNumber(x float64) string {
	x = math.Round(1000*x) / 1000
	return strconv.FormatFloat(x+0, 'f', -1, 64) // no "-0"
}

func (c *svg) Stroke(p vg.Path) {
	s := c.state()
	if s.width <= 0 {
		return
	}
	fmt.Fprintf(&c.b, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"`,
		c.path(p), s.colour, svgNumber(s.width.Points()))
	if len(s.dash) > 0 {
		var lengths []string
		for _, d := range s.dash {
			lengths = append(lengths, svgNumber(d.Points()))
		}
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, strings.Join(lengths, " "))
	}
	c.b.WriteString("/>\n")
}

func (c *svg) Fill(p vg.Path) {
	fmt.Fprintf(&c.b, `<path d="%s" fill="%s"/>`+"\n", c.path(p), c.state().colour)
}

func (c *svg) path(path vg.Path) string {
	var b strings.Builder
	for _, comp := range path {
		switch comp.Type {
		case vg.MoveComp:
			b.WriteString("M" + c.place(comp.Pos))
		case vg.LineComp:
			b.WriteString("L" + c.place(comp.Pos))
		case vg.ArcComp:
			// An arc of SVG is less than a circle; the path has been moved to its start. One
			// against the clock goes that way on the paper too, whose matrices do not mirror.
			n := int(math.Ceil(math.Abs(comp.Angle)/math.Pi - 1e-9))
			sweep := 0
			if comp.Angle < 0 {
				sweep = 1
			}
			r := svgNumber(comp.Radius.Points())
			for i := range n {
				sin, cos := math.Sincos(comp.Start + comp.Angle*float64(i+1)/float64(n))
				end := vg.Point{X: comp.Pos.X + comp.Radius*vg.Length(cos), Y: comp.Pos.Y + comp.Radius*vg.Length(sin)}
				fmt.Fprintf(&b, "A%s %s 0 0 %d %s", r, r, sweep, c.place(end))
			}
		case vg.CloseComp:
			b.WriteString("Z")
		default:
			panic("a figure draws no curves but arcs")
		}
	}
	return b.String()
}

// FillString draws a line from its left end.
func (c *svg) FillString(f font.Face, p vg.Point, line string) {
	m := c.state().at
	// XML does not keep a space at the start.
	trimmed := strings.TrimLeft(line, " ")
	if lead := line[:len(line)-len(trimmed)]; lead != "" {
		face := font.DefaultCache.Lookup(f.Font, f.Font.Size)
		p.X, line = p.X+face.Width(lead), trimmed
	}
	x, y, _ := strings.Cut(c.place(p), " ")
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" font-size="%s" fill="%s"`,
		x, y, svgNumber(f.Font.Size.Points()), c.state().colour)
	if width, known := widthOf(line, f.Font); known { // a viewer that lacks the font keeps to its widths
		fmt.Fprintf(&c.b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, svgNumber(width.Points()))
	}
	if turn := math.Atan2(m[1], m[0]) * 180 / math.Pi; math.Abs(turn) > 1e-9 {
		fmt.Fprintf(&c.b, ` transform="rotate(%s %s %s)"`, svgNumber(turn), x, y)
	}
	c.b.WriteString(">" + html.EscapeString(line) + "</text>\n")
}

// widthOf is the width of a line in a font that has all of its letters.
func widthOf(line string, f font.Font) (vg.Length, bool) {
	if len([]rune(line)) < 3 || asCodes(line) != line {
		return 0, false
	}
	face := font.DefaultCache.Lookup(f, f.Size)
	return face.Width(line), true
}

// WriteTo writes the picture. By itself it knows whether its reader's screen is dark, and nothing
// of a page.
func (c *svg) WriteTo(w io.Writer) (int64, error) {
	width, height := svgNumber(c.w.Points()), svgNumber(c.h.Points())
	n, err := io.WriteString(w, xml.Header+
		fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %[1]s %[2]s" `+
			`font-family="%[3]s">`+"\n", width, height, svgFonts)+
		"<style>@media (prefers-color-scheme: dark) {\n"+svgDark()+"}</style>\n"+c.b.String()+"</svg>\n")
	return int64(n), err
}

// Inline is the element svg of a picture that Write wrote, to stand in a page that has CSS: without
// the head and the style of a picture by itself.
func Inline(picture []byte) []byte {
	picture = bytes.TrimPrefix(picture, []byte(xml.Header))
	before, after, _ := bytes.Cut(picture, []byte("<style>"))
	_, after, _ = bytes.Cut(after, []byte("</style>\n"))
	return append(bytes.Clone(before), after...)
}
