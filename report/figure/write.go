package figure

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI is what printers ask of pictures with letters.
const pngDPI = 300

// write builds the sheet for a format, which decides how wide its letters are, and draws it.
func write(w io.Writer, format string, size Size, build func(*pen) (*sheet, error)) error {
	p := newPen(format, size)
	if p == nil {
		return userr.New(userr.BadInput, "figure format %q is unknown: use one of %s", format, strings.Join(Formats, ", "))
	}
	s, err := build(p)
	if err != nil {
		return err
	}
	width, height := s.size()
	var c vg.CanvasWriterTo
	switch format {
	case "pdf":
		c = vgpdf.New(width, height)
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
	case "svg":
		c = vgsvg.New(width, height)
	case "pgf":
		c = newPGF(width, height)
	}
	s.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err = w.Write(finish(format, b.Bytes()))
	return err
}

var (
	pdfDate  = regexp.MustCompile(`(/CreationDate|/ModDate) \(D:\d{14}`)
	pdfEpoch = []byte("$1 (D:20000101000000")
	svgFont  = []byte(`style="font-family:Liberation Sans;font-variant:none;`)
	svgFonts = []byte(`style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`)
)

// finish mends what the back ends leave no other way to say: PDF gets fixed dates (of equal length: the file's table of offsets holds), so
// that equal data are equal bytes; SVG gets fonts of the same widths for machines without Liberation Sans. No label can hold the text that is
// replaced: letters in PDF are outlines, and quotes in SVG are escaped.
func finish(format string, b []byte) []byte {
	switch format {
	case "pdf":
		return pdfDate.ReplaceAll(b, pdfEpoch)
	case "svg":
		return bytes.ReplaceAll(b, svgFont, svgFonts)
	}
	return b
}
