package drawing

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI is what printers ask of pictures with letters.
const pngDPI = 300

// backEnd is what differs between the formats.
type backEnd struct {
	spell  func(string) string // what stands for the letters that it lacks
	canvas func(w, h vg.Length) vg.CanvasWriterTo
	mend   func([]byte) []byte // what the back end leaves no other way to say; nil: nothing
}

// Formats lists what Write accepts; each is also the ending of such a file's name.
var Formats = []string{"pdf", "png", "svg"}

var backEnds = map[string]backEnd{
	"pdf": {
		spell:  asCodes,
		canvas: func(w, h vg.Length) vg.CanvasWriterTo { return newPDF(w, h) },
	},
	"png": {
		spell: asCodes,
		canvas: func(w, h vg.Length) vg.CanvasWriterTo {
			return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
		},
	},
	"svg": { // a browser finds letters in other fonts
		spell:  func(s string) string { return s },
		canvas: func(w, h vg.Length) vg.CanvasWriterTo { return vgsvg.New(w, h) },
		mend:   func(b []byte) []byte { return darkened(svgFont.ReplaceAll(b, svgFonts)) },
	},
}

// SVG gets fonts of the same widths for machines without Liberation Sans, and the family that every
// viewer has. No label can hold the text that is replaced: quotes in SVG are escaped.
var (
	svgFont  = regexp.MustCompile(`style="font-family:Liberation Sans;(font-variant:[a-z]+;)?`)
	svgFonts = []byte(`style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`)
)

// Write draws the sheet. format is one of Formats; another one is an error for the user, and
// nothing has been written then.
func (s *Sheet) Write(w io.Writer, format string) error {
	back, known := backEnds[format]
	if !known {
		return userr.New(userr.BadInput, "figure format %q is unknown: use one of %s",
			format, strings.Join(Formats, ", "))
	}
	l := s.layout(newPen(back.spell, s.Size))
	c := back.canvas(l.size())
	l.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	text := b.Bytes()
	if back.mend != nil {
		text = back.mend(text)
	}
	_, err := w.Write(text)
	return err
}
