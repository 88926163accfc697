package figure

import (
	"bytes"
	"html"
	"math"
	"regexp"
	"strconv"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

var (
	svgText  = regexp.MustCompile(`<text x="([0-9.-]+)" y="([0-9.-]+)" font-size="([0-9.]+)"[^>]*>([^<]*)</text>`)
	svgSize  = regexp.MustCompile(`width="([0-9.]+)pt" height="([0-9.]+)pt"`)
	turned   = regexp.MustCompile(`transform=`)
	letters  = font.NewCache(liberation.Collection())
	typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}
)

// No text of a figure touches another one, be it of a legend, an axis, a title or a point, and none
// leaves the figure.
func TestTextsApart(t *testing.T) {
	number := func(s []byte) float64 {
		v, err := strconv.ParseFloat(string(s), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	type box struct {
		text                     string
		left, right, top, bottom float64
	}
	for name, f := range figures() {
		var b bytes.Buffer
		if err := Write(&b, f, "svg"); err != nil {
			t.Fatal(err)
		}
		size := svgSize.FindSubmatch(b.Bytes())
		width, height := number(size[1]), number(size[2])
		var boxes []box
		for _, m := range svgText.FindAllSubmatch(b.Bytes(), -1) {
			x, y, size, text := number(m[1]), number(m[2]), number(m[3]), html.UnescapeString(string(m[4]))
			across := letters.Lookup(typeface, font.Length(size))
			w := across.Width(text).Points()
			one := box{text, x, x + w, y - 0.72*size, y}
			if turned.Match(m[0]) { // the title of an axis, from its foot up
				one = box{text, x - 0.72*size, x, y - w, y}
			}
			if one.left < 0 || one.right > width || one.top < 0 || one.bottom > height {
				t.Errorf("%s: %q leaves the figure: %+v of %v x %v", name, text, one, width, height)
			}
			boxes = append(boxes, one)
		}
		if len(boxes) < 4 {
			t.Errorf("%s: %d texts", name, len(boxes))
		}
		for i, one := range boxes {
			for _, other := range boxes[:i] {
				// A symbol and its subscript follow each other.
				if over := math.Min(one.right, other.right) - math.Max(one.left, other.left); over > 0.01 &&
					math.Min(one.bottom, other.bottom)-math.Max(one.top, other.top) > 0.01 {
					t.Errorf("%s: %q touches %q: %+v and %+v", name, other.text, one.text, other, one)
				}
			}
		}
	}
}
