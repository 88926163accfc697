package drawing

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cloud is points with their names. A name that has no room beside its mark is a number there,
// which a second legend explains.
type Cloud struct {
	Points []Point
	Steps  []int // the points, by rising X, that dashed steps join: left of a step's end none is higher
}

// Point is a mark with bars of a deviation either side, and its name; "" for none.
type Point struct {
	Name string
	X, Y Value
	Mark Mark
}

// StepLine is how a cloud's steps are drawn.
var StepLine = Line{Colour: Muted, Thin: true, Dashed: true}

// cloud draws a Cloud.
type cloud struct {
	pen    *pen
	points []Point
	steps  []int
	number []int  // per point; 0: the name stands beside it
	noRoom []bool // neither name nor number has room
}

const (
	nameReach   = vg.Length(8)   // of a name from its mark
	numberReach = vg.Length(45)  // of a number
	widest      = vg.Length(0.4) // of a name, as a share of the panel
)

func newCloud(p *pen, of *Cloud) *cloud {
	c := &cloud{pen: p, points: slices.Clone(of.Points), steps: of.Steps}
	for i := range c.points {
		c.points[i].Name = clean(c.points[i].Name)
	}
	return c
}

// arrange decides which names stand beside their marks. It returns the legend's entries of the
// others, numbered from first.
func (c *cloud) arrange(p *plot.Plot, rect vg.Rectangle, first int) []Entry {
	c.noRoom = make([]bool, len(c.points))
	canvas := draw.Canvas{Rectangle: rect}
	sty := c.pen.style(draw.XLeft, draw.YBottom)
	asNumber := make([]bool, len(c.points))
	for i, q := range c.points {
		asNumber[i] = sty.Width(q.Name) > widest*rect.Size().X
	}
	for again := true; again; {
		c.renumber(asNumber, first)
		again = false
		for i, l := range c.place(p, canvas) {
			c.noRoom[i] = !l.ok && c.points[i].Name != ""
			if c.noRoom[i] && !asNumber[i] {
				asNumber[i], again = true, true
			}
		}
		// A few numbers among names read well, a few names among numbers do not.
		if n := count(asNumber); again && 3*n > len(c.points) && n < len(c.points) {
			for i := range asNumber {
				asNumber[i] = c.points[i].Name != ""
			}
		}
	}
	var entries []Entry
	for i, q := range c.points {
		if c.number[i] == 0 {
			continue
		}
		name := q.Name
		if c.noRoom[i] {
			name += fmt.Sprintf(" (%.1f, %.1f)", q.X.Mean, q.Y.Mean)
		}
		entries = append(entries, Entry{number: strconv.Itoa(c.number[i]), Text: name})
	}
	return entries
}

func (c *cloud) renumber(asNumber []bool, next int) {
	c.number = make([]int, len(c.points))
	for i := range c.points {
		if asNumber[i] {
			c.number[i] = next
			next++
		}
	}
}

func count(flags []bool) (n int) {
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

// text is what stands beside a point.
func (c *cloud) text(i int) string {
	if c.number[i] > 0 {
		return strconv.Itoa(c.number[i])
	}
	return c.points[i].Name
}

// stairs returns the corners of the steps.
func (c *cloud) stairs(x, y func(float64) vg.Length) []vg.Point {
	var corners []vg.Point
	for _, at := range c.steps {
		here := vg.Point{X: x(c.points[at].X.Mean), Y: y(c.points[at].Y.Mean)}
		if n := len(corners); n > 0 {
			corners = append(corners, vg.Point{X: corners[n-1].X, Y: here.Y})
		}
		corners = append(corners, here)
	}
	return corners
}

// place finds the labels' places on a canvas; the same on every canvas of one size.
func (c *cloud) place(p *plot.Plot, canvas draw.Canvas) []placed {
	x, y := p.Transforms(&canvas)
	var lines []segment
	stairs := c.stairs(x, y)
	for i := 1; i < len(stairs); i++ {
		lines = append(lines, segment{stairs[i-1], stairs[i]})
	}
	sty := c.pen.style(draw.XLeft, draw.YBottom)
	marks, labels := make([]vg.Point, len(c.points)), make([]label, len(c.points))
	for i, q := range c.points {
		at := vg.Point{X: x(q.X.Mean), Y: y(q.Y.Mean)}
		marks[i] = at
		labels[i] = label{at: at, width: sty.Width(c.text(i)), height: 0.95 * sty.Font.Size, reach: nameReach}
		if c.number[i] > 0 {
			labels[i].reach = numberReach
		}
		for _, bar := range []segment{
			{{X: x(q.X.Mean - q.X.Deviation), Y: at.Y}, {X: x(q.X.Mean + q.X.Deviation), Y: at.Y}},
			{{X: at.X, Y: y(q.Y.Mean - q.Y.Deviation)}, {X: at.X, Y: y(q.Y.Mean + q.Y.Deviation)}},
		} {
			if bar[0] != bar[1] {
				lines = append(lines, bar)
			}
		}
	}
	// The steps' points choose first, names before numbers, which fit in anywhere.
	var order []int
	for i := range c.points {
		if c.text(i) != "" {
			order = append(order, i)
		}
	}
	rank := func(i int) int {
		r := 0
		if c.number[i] > 0 {
			r = 2
		}
		if !slices.Contains(c.steps, i) {
			r++
		}
		return r
	}
	slices.SortStableFunc(order, func(i, j int) int { return rank(i) - rank(j) })
	sorted := make([]label, len(order))
	for k, i := range order {
		sorted[k] = labels[i]
	}
	out := make([]placed, len(c.points))
	for k, found := range place(sorted, marks, markRadius+0.5, canvas.Rectangle, lines) {
		out[order[k]] = found
	}
	return out
}

// Plot implements plot.Plotter.
func (c *cloud) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	if stairs := c.stairs(x, y); len(stairs) > 1 {
		canvas.StrokeLines(StepLine.style(), stairs)
	}
	labels := c.place(p, canvas)
	thin := draw.LineStyle{Color: Muted, Width: 0.4}
	for _, l := range labels {
		if l.leader != nil {
			canvas.StrokeLines(thin, l.leader[:])
		}
	}
	for _, q := range c.points {
		bar := Line{Colour: q.Mark.Colour, Thin: true}.style()
		at := vg.Point{X: x(q.X.Mean), Y: y(q.Y.Mean)}
		if d := x(q.X.Mean+q.X.Deviation) - at.X; d > markRadius+1 {
			canvas.StrokeLine2(bar, at.X-d, at.Y, at.X+d, at.Y)
		}
		if d := y(q.Y.Mean+q.Y.Deviation) - at.Y; d > markRadius+1 {
			canvas.StrokeLine2(bar, at.X, at.Y-d, at.X, at.Y+d)
		}
		q.Mark.draw(canvas, at)
	}
	sty := c.pen.style(draw.XLeft, draw.YBottom)
	for i, l := range labels {
		if l.ok {
			canvas.SetColor(color.White) // where it must cover the steps
			canvas.Fill(l.box.Path())
			c.pen.letter(canvas, sty, vg.Point{X: l.box.Min.X, Y: l.box.Min.Y + 0.2*sty.Font.Size}, c.text(i))
		}
	}
}
