package drawing

import (
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// lettering measures and draws text for one back end.
type lettering struct {
	text.Plain
	spell func(string) string // what stands for the letters that the back end lacks
}

// Box implements text.Handler: the width of a line, and the ascent and descent of its font.
func (l *lettering) Box(line string, f font.Font) (width, height, depth vg.Length) {
	return l.Plain.Box(l.spell(line), f)
}

// Draw implements text.Handler. The places are those of text.Plain, which gonum's axes expect.
func (l *lettering) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if txt == "" {
		return
	}
	face := l.Fonts.Lookup(sty.Font, sty.Font.Size)
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
		sin, cos := math.Sincos(sty.Rotation)
		pt = vg.Point{X: pt.Y*vg.Length(sin) + pt.X*vg.Length(cos), Y: pt.Y*vg.Length(cos) - pt.X*vg.Length(sin)}
	}
	lines := l.Lines(txt)
	pt.Y += sty.Height(txt)*vg.Length(sty.YAlign) - face.Extents().Ascent
	for i, line := range lines {
		at := vg.Point{X: pt.X, Y: pt.Y + vg.Length(len(lines)-i)*sty.Font.Size}
		width, _, _ := l.Box(line, sty.Font)
		at.X += vg.Length(sty.XAlign) * width
		c.FillString(face, at, l.spell(line))
	}
}
