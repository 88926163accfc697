package drawing

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
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
