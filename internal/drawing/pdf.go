package drawing

import (
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdf is a canvas that writes one page of PDF. gonum's own vgpdf knows 256 letters and embeds whole
// fonts without saying which letters they stand for; here text can be searched and copied, and the
// font, embedded too, has the letters used and no others.
type pdf struct {
	doc    *fpdf.Fpdf
	w, h   vg.Length
	widths []vg.Length // of lines, of the scopes that are open
}

// pdfFamily is what the document calls its one font.
const pdfFamily = "sans"

func newPDF(w, h vg.Length) *pdf {
	doc := fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt", Size: fpdf.SizeType{Wd: w.Points(), Ht: h.Points()},
	})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCatalogSort(true)
	// No date of today: the same figure made tomorrow is the same file.
	then := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	doc.SetCreationDate(then)
	doc.SetModificationDate(then)
	doc.AddUTF8FontFromBytes(pdfFamily, "", liberationsansregular.TTF)
	doc.AddPage()
	doc.SetLineWidth(1)
	// PDF has its origin at the lower left, as gonum has; fpdf has it at the upper left.
	doc.TransformBegin()
	doc.TransformTranslate(0, h.Points())
	doc.TransformScale(100, -100, 0, 0)
	return &pdf{doc: doc, w: w, h: h, widths: []vg.Length{1}}
}

func (c *pdf) Size() (w, h vg.Length)              { return c.w, c.h }
func (c *pdf) DrawImage(vg.Rectangle, image.Image) { panic("a figure holds no images") }

func (c *pdf) SetLineWidth(w vg.Length) {
	c.widths[len(c.widths)-1] = w
	c.doc.SetLineWidth(w.Points())
}

func (c *pdf) SetLineDash(dashes []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(dashes))
	for i, d := range dashes {
		lengths[i] = d.Points()
	}
	c.doc.SetDashPattern(lengths, offset.Points())
}

// SetColor takes opaque colours, and has no other.
func (c *pdf) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	r, g, b, _ := clr.RGBA()
	red, green, blue := int(r>>8), int(g>>8), int(b>>8)
	c.doc.SetFillColor(red, green, blue)
	c.doc.SetDrawColor(red, green, blue)
	c.doc.SetTextColor(red, green, blue)
}

func (c *pdf) Rotate(rad float64)   { c.doc.TransformRotate(-rad*180/math.Pi, 0, 0) }
func (c *pdf) Translate(p vg.Point) { c.doc.TransformTranslate(p.X.Points(), p.Y.Points()) }
func (c *pdf) Scale(x, y float64)   { c.doc.TransformScale(x*100, y*100, 0, 0) }

func (c *pdf) Push() {
	c.widths = append(c.widths, c.widths[len(c.widths)-1])
	c.doc.TransformBegin()
}

func (c *pdf) Pop() {
	c.doc.TransformEnd()
	c.widths = c.widths[:len(c.widths)-1]
}

func (c *pdf) Stroke(p vg.Path) {
	if c.widths[len(c.widths)-1] > 0 {
		c.path(p)
		c.doc.DrawPath("D")
	}
}

func (c *pdf) Fill(p vg.Path) {
	c.path(p)
	c.doc.DrawPath("F")
}

func (c *pdf) path(path vg.Path) {
	for _, comp := range path {
		switch comp.Type {
		case vg.MoveComp:
			c.doc.MoveTo(comp.Pos.X.Points(), comp.Pos.Y.Points())
		case vg.LineComp:
			c.doc.LineTo(comp.Pos.X.Points(), comp.Pos.Y.Points())
		case vg.ArcComp:
			c.arc(comp)
		case vg.CloseComp:
			c.doc.ClosePath()
		default:
			panic("a figure draws no curves but arcs")
		}
	}
}

// arc draws one in quarters, each the cubic that meets its middle; the path has been moved to its
// start.
func (c *pdf) arc(comp vg.PathComp) {
	n := int(math.Ceil(math.Abs(comp.Angle)/(math.Pi/2) - 1e-9))
	step := comp.Angle / float64(n)
	k := 4. / 3 * math.Tan(step/4)
	x, y, r := comp.Pos.X.Points(), comp.Pos.Y.Points(), comp.Radius.Points()
	for i := range n {
		s0, c0 := math.Sincos(comp.Start + float64(i)*step)
		s1, c1 := math.Sincos(comp.Start + float64(i+1)*step)
		c.doc.CurveBezierCubicTo(x+r*(c0-k*s0), y+r*(s0+k*c0), x+r*(c1+k*s1), y+r*(s1-k*c1), x+r*c1, y+r*s1)
	}
}

// FillString draws a line from its left end.
func (c *pdf) FillString(f font.Face, p vg.Point, line string) {
	c.doc.SetFont(pdfFamily, "", f.Font.Size.Points())
	c.Push()
	defer c.Pop()
	c.Translate(p)
	c.Scale(1, -1)
	c.doc.Text(0, 0, line)
}

// WriteTo ends the document.
func (c *pdf) WriteTo(w io.Writer) (int64, error) {
	c.doc.TransformEnd()
	counted := &counter{w: w}
	err := c.doc.Output(counted)
	return counted.n, err
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
