package drawing

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// sans is the font of all letters; Lookup gives it a size.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// clean keeps control characters and bytes that are not UTF-8 out of a label: XML cannot hold them,
// and one of them is our own sub.
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
	return replaceLacking(s, func(r rune) bool {
		i, err := face.Face.GlyphIndex(&buf, r)
		return err == nil && i != 0
	})
}

func replaceLacking(s string, has func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		if has(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

// toward is two thirds of the way from a to b.
func toward(a, b vg.Point) vg.Point {
	return vg.Point{X: a.X + 2*(b.X-a.X)/3, Y: a.Y + 2*(b.Y-a.Y)/3}
}

// fillOutlines draws s, from its left end, as the outlines of its letters.
func fillOutlines(c vg.Canvas, f font.Face, at vg.Point, s string) {
	var buf sfnt.Buffer
	unit := fixed.Int26_6(f.Face.UnitsPerEm()) // with as many pixels an em as the font has units, nothing is rounded
	scale := f.Font.Size / vg.Length(unit)
	var path vg.Path
	x := at.X
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: x + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
	}
	var before sfnt.GlyphIndex
	for i, r := range s {
		g, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if k, err := f.Face.Kern(&buf, before, g, unit, 0); err == nil {
				x += vg.Length(k) * scale
			}
		}
		before = g
		segments, err := f.Face.LoadGlyph(&buf, g, unit, nil)
		if err != nil {
			continue
		}
		for j, seg := range segments {
			switch seg.Op {
			case sfnt.SegmentOpMoveTo:
				if j > 0 {
					path.Close()
				}
				path.Move(point(seg.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(point(seg.Args[0]))
			case sfnt.SegmentOpQuadTo:
				// As the equal cubic: the PDF back end draws another curve for a quadratic.
				from, control, to := path[len(path)-1].Pos, point(seg.Args[0]), point(seg.Args[1])
				path.CubeTo(toward(from, control), toward(to, control), to)
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(point(seg.Args[0]), point(seg.Args[1]), point(seg.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		if a, err := f.Face.GlyphAdvance(&buf, g, unit, 0); err == nil {
			x += vg.Length(a) * scale
		}
	}
	if len(path) > 0 {
		c.Fill(path)
	}
}
