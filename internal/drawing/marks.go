package drawing

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ShapeOf gives the i-th series its mark. There are 7 colours and 8 shapes, so that 56 series
// differ in one or the other.
func ShapeOf(i int) Shape { return Shape(i % int(shapes)) }

// Line is how a line is drawn.
type Line struct {
	Colour       color.Color
	Thin, Dashed bool
	Pattern      int // of dashes, 0 for none; lines that lie on each other show through the gaps
}

// patterns are those of Line.Pattern; a number beyond them begins anew.
var patterns = [][]vg.Length{nil, {5, 2}, {1.2, 1.8}, {6, 2, 1.2, 2}, {2.5, 2.5}, {8, 2, 1.2, 1.5, 1.2, 2}, {3, 1.2}}

func (l Line) style() draw.LineStyle {
	sty := draw.LineStyle{Color: l.Colour, Width: 1.2}
	if l.Thin {
		sty.Width = 0.7
	}
	sty.Dashes = patterns[l.Pattern%len(patterns)]
	if l.Dashed {
		sty.Dashes = []vg.Length{3, 2}
	}
	return sty
}

// Alone is the mark of a point that no line reaches, open where the line would be dashed.
func (l Line) Alone() *Mark { return &Mark{Colour: l.Colour, Open: l.Dashed, small: true} }

// Mark is drawn at a point: a shape, filled, or open, its outline on white.
type Mark struct {
	Shape  Shape
	Colour color.Color
	Open   bool
	small  bool
}

const markRadius = vg.Length(2.4)

// Shape is the outline of a mark.
type Shape int

// The shapes.
const (
	circle Shape = iota
	square
	Triangle
	Diamond
	cross
	pyramid // a triangle on its head
	plus
	pentagon
	shapes // how many there are
)

func (m *Mark) draw(c draw.Canvas, at vg.Point) {
	r := markRadius
	if m.small {
		r *= 0.7
	}
	path := m.Shape.outline(at, r)
	c.SetColor(m.Colour) // a PDF notes every colour it is told: files stay those of earlier versions
	// White around a mark keeps it apart from those it touches.
	c.SetLineDash(nil, 0)
	c.SetColor(color.White)
	c.SetLineWidth(0.25 * r)
	c.Stroke(path)
	if m.Open {
		c.Fill(path)
		c.SetColor(m.Colour)
		c.SetLineWidth(vg.Points(0.8))
		c.Stroke(path)
		return
	}
	c.SetColor(m.Colour)
	c.Fill(path)
}

func (s Shape) outline(at vg.Point, r vg.Length) vg.Path {
	var path vg.Path
	if s == circle {
		r *= 0.9
		path.Move(vg.Point{X: at.X + r, Y: at.Y})
		path.Arc(at, r, 0, 2*math.Pi)
		path.Close()
		return path
	}
	for i, v := range vertices[s] {
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
var vertices = map[Shape][][2]float64{
	square:   {{-0.82, -0.82}, {0.82, -0.82}, {0.82, 0.82}, {-0.82, 0.82}},
	Triangle: regular(3, 1.2, math.Pi/2),
	pyramid:  regular(3, 1.2, -math.Pi/2),
	Diamond:  regular(4, 1.15, 0),
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
