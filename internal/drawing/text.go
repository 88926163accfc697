package drawing

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lettering measures and draws text for one back end.
type lettering struct {
	text.Plain
	spell func(string) string // what stands for the letters that the back end lacks
}

// Box implements text.Handler: the width of a line, and the ascent and descent of its font.
func (l *lettering) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = l.Plain.Box(" ", f)
	for _, r := range runsOf(line) {
		w, _, _ := l.Plain.Box(l.spell(r.text), r.font(f))
		width += w
	}
	return width, height, depth
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
		l.line(c, sty.Font, at, line)
	}
}

// line draws the runs of a line one after another, subscripts below the base line.
func (l *lettering) line(c vg.Canvas, f font.Font, at vg.Point, line string) {
	for _, r := range runsOf(line) {
		place := at
		if r.below {
			place.Y -= subscriptDrop * f.Size
		}
		text := l.spell(r.text)
		c.FillString(l.Fonts.Lookup(r.font(f), r.font(f).Size), place, text)
		width, _, _ := l.Plain.Box(text, r.font(f))
		at.X += width
	}
}

// sans is the font of all letters; Lookup gives it a size.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// clean keeps control characters and bytes that are not UTF-8 out of a label: XML cannot hold them.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// asCodes replaces the letters that the font lacks by their codes.
func asCodes(s string) string {
	face := font.DefaultCache.Lookup(sans, 10)
	var buf sfnt.Buffer
	var b strings.Builder
	for _, r := range s {
		if i, err := face.Face.GlyphIndex(&buf, r); err == nil && i != 0 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

// The defaults of Size.
const (
	defaultWidth = 7.7
	defaultFont  = 8
)

// pen is what a sheet is drawn with: its letters and its measures.
type pen struct {
	letters *lettering
	width   vg.Length // of the figure
	font    vg.Length
}

func newPen(spell func(string) string, size Size) *pen {
	return &pen{
		letters: &lettering{text.Plain{Fonts: font.DefaultCache}, spell},
		width:   vg.Length(or(size.Width, defaultWidth)) * vg.Centimeter,
		font:    vg.Points(or(size.Font, defaultFont)),
	}
}

// or is x where that is positive.
func or(x, otherwise float64) float64 {
	if x > 0 {
		return x
	}
	return otherwise
}

// style is small text: everything but the titles of axes.
func (p *pen) style(x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: Ink, Font: font.From(sans, p.font-1), XAlign: x, YAlign: y, Handler: p.letters}
}

// lineHeight is the distance of lines of small text.
func (p *pen) lineHeight() vg.Length { return 1.25 * (p.font - 1) }

// letter draws one line with its base line at a height: gonum puts text by its box.
func (p *pen) letter(c draw.Canvas, sty draw.TextStyle, at vg.Point, line string) {
	at.Y += sty.FontExtents().Ascent - sty.Font.Size
	sty.YAlign = draw.YBottom
	c.FillText(sty, at, line)
}

// fit cuts a line out of the middle of s, so that it is no wider than width.
func fit(sty text.Style, s string, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 1; n-- {
		head := (n + 1) / 2
		if short := string(runes[:head]) + "…" + string(runes[len(runes)-n+head:]); sty.Width(short) <= width {
			return short
		}
	}
	return "…"
}

// wrap breaks s into lines no wider than width: at spaces, and within a word that is wider. What
// needs more lines than most loses its middle.
func wrap(sty text.Style, s string, width vg.Length, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if with := strings.TrimSpace(line + " " + word); sty.Width(with) <= width {
			line = with
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
		for _, r := range word {
			if line != "" && sty.Width(line+string(r)) > width {
				lines = append(lines, line)
				line = ""
			}
			line += string(r)
		}
	}
	lines = append(lines, line)
	if len(lines) > most {
		last := len(lines) - 1
		lines = append(lines[:most-1], fit(sty, lines[most-1]+" … "+lines[last], width))
	}
	return lines
}
