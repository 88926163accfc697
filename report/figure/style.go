package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is that of Okabe and Ito (2008) without its yellow, which white paper swallows, in an order that keeps neighbours apart in grey too.
var palette = []color.Color{
	rgb(0x0072B2), rgb(0xE69F00), rgb(0x009E73), rgb(0xD55E00), rgb(0xCC79A7), rgb(0x000000), rgb(0x56B4E9),
}

var (
	ink   = color.Color(color.Black)
	faint = rgb(0xE4E4E4) // grid
	pale  = rgb(0x9A9A9A) // collapsed systems
	muted = rgb(0x707070) // what stands for no series: the front, samples of dashes
)

func rgb(x uint32) color.Color {
	return color.RGBA{R: uint8(x >> 16), G: uint8(x >> 8), B: uint8(x), A: 0xff}
}

// colourOf and shapeOf give the i-th series its colour and mark. There are 7 and 8 of them, so that 56 series differ in one or the other.
func colourOf(i int) color.Color { return palette[i%len(palette)] }

func shapeOf(i int) shape { return shape(i % int(shapes)) }

// shape is the outline of a mark.
type shape int

const (
	circle shape = iota
	square
	triangle
	diamond
	cross
	pyramid // a triangle on its head
	plus
	pentagon
	shapes // how many there are
)

// mark draws a shape, filled, or open: its outline on white.
type mark struct {
	shape
	open bool
}

// DrawGlyph implements draw.GlyphDrawer.
func (m mark) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	path := m.outline(at, sty.Radius)
	// White around a mark keeps it apart from those it touches.
	c.SetLineDash(nil, 0)
	c.SetColor(color.White)
	c.SetLineWidth(0.25 * sty.Radius)
	c.Stroke(path)
	if m.open {
		c.Fill(path)
		c.SetColor(sty.Color)
		c.SetLineWidth(vg.Points(0.8))
		c.Stroke(path)
		return
	}
	c.SetColor(sty.Color)
	c.Fill(path)
}

func (m mark) outline(at vg.Point, r vg.Length) vg.Path {
	var path vg.Path
	if m.shape == circle {
		r *= 0.9
		path.Move(vg.Point{X: at.X + r, Y: at.Y})
		path.Arc(at, r, 0, 2*math.Pi)
		path.Close()
		return path
	}
	for i, v := range vertices[m.shape] {
		p := vg.Point{X: at.X + vg.Length(v[0])*r, Y: at.Y + vg.Length(v[1])*r}
		if i == 0 {
			path.Move(p)
			continue
		}
		path.Line(p)
	}
	path.Close()
	return path
}

// vertices are for a radius of 1, sized so that the marks look equally large.
var vertices = map[shape][][2]float64{
	square:   {{-0.82, -0.82}, {0.82, -0.82}, {0.82, 0.82}, {-0.82, 0.82}},
	triangle: regular(3, 1.2, math.Pi/2),
	pyramid:  regular(3, 1.2, -math.Pi/2),
	diamond:  regular(4, 1.15, 0),
	pentagon: regular(5, 1.05, math.Pi/2),
	plus:     crossed(0),
	cross:    crossed(math.Pi / 4),
}

func regular(n int, radius, start float64) [][2]float64 {
	v := make([][2]float64, n)
	for i := range v {
		sin, cos := math.Sincos(start + 2*math.Pi*float64(i)/float64(n))
		v[i] = [2]float64{radius * cos, radius * sin}
	}
	return v
}

// crossed is two bars across each other, turned.
func crossed(turn float64) [][2]float64 {
	const long, wide = 1.1, 0.36
	sin, cos := math.Sincos(turn)
	var v [][2]float64
	for _, p := range [][2]float64{
		{wide, wide},
		{wide, long},
		{-wide, long},
		{-wide, wide},
		{-long, wide},
		{-long, -wide},
		{-wide, -wide},
		{-wide, -long},
		{wide, -long},
		{wide, -wide},
		{long, -wide},
		{long, wide},
	} {
		v = append(v, [2]float64{p[0]*cos - p[1]*sin, p[0]*sin + p[1]*cos})
	}
	return v
}

var dashed = []vg.Length{3, 2}
