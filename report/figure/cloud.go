package figure

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cloud draws the points of one panel of TradeOff with their front and their names.
type cloud struct {
	pen    *pen
	points []TradeOffPoint
	first  int    // number of the first name that has no room
	number []int  // per point; 0: the name stands beside it
	noRoom []bool // neither name nor number has room
}

const (
	nameReach   = vg.Length(8)   // of a name from its mark
	numberReach = vg.Length(45)  // of a number
	widest      = vg.Length(0.4) // of a name, as a share of the panel
)

// arrange decides which names stand beside their marks. It returns the legend's entries of the others, numbered from first.
func (c *cloud) arrange(p *plot.Plot, rect vg.Rectangle, first int) []entry {
	c.first, c.number, c.noRoom = first, make([]int, len(c.points)), make([]bool, len(c.points))
	canvas := draw.Canvas{Rectangle: rect}
	sty := c.pen.style(draw.XLeft, draw.YBottom)
	asNumber := make([]bool, len(c.points))
	for i, q := range c.points {
		asNumber[i] = q.Name != "" && sty.Width(q.label()) > widest*rect.Size().X
	}
	for {
		c.renumber(asNumber)
		again := false
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
		if !again {
			break
		}
	}
	var entries []entry
	for i, q := range c.points {
		if c.number[i] == 0 {
			continue
		}
		name := q.label()
		if c.noRoom[i] {
			name += fmt.Sprintf(" (%.1f, %.1f)", q.SBLEU.Mean, q.TST.Mean)
		}
		entries = append(entries, entry{number: strconv.Itoa(c.number[i]), text: name})
	}
	return entries
}

func (c *cloud) renumber(asNumber []bool) {
	next := c.first
	for i := range c.points {
		c.number[i] = 0
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
	return c.points[i].label()
}

// front returns the indices of the front's points and the steps between them: left of a step's end no system is higher.
func (c *cloud) front(p *plot.Plot, canvas draw.Canvas) ([]int, []vg.Point) {
	x, y := p.Transforms(&canvas)
	front := frontOf(c.points)
	var steps []vg.Point
	for i, at := range front {
		here := vg.Point{X: x(c.points[at].SBLEU.Mean), Y: y(c.points[at].TST.Mean)}
		if i > 0 {
			steps = append(steps, vg.Point{X: steps[len(steps)-1].X, Y: here.Y})
		}
		steps = append(steps, here)
	}
	return front, steps
}

// place finds the labels' places on a canvas; the same on every canvas of one size.
func (c *cloud) place(p *plot.Plot, canvas draw.Canvas) []placed {
	x, y := p.Transforms(&canvas)
	front, steps := c.front(p, canvas)
	var lines []segment
	for i := 1; i < len(steps); i++ {
		lines = append(lines, segment{steps[i-1], steps[i]})
	}
	sty := c.pen.style(draw.XLeft, draw.YBottom)
	marks, labels := make([]vg.Point, len(c.points)), make([]label, len(c.points))
	for i, q := range c.points {
		marks[i] = vg.Point{X: x(q.SBLEU.Mean), Y: y(q.TST.Mean)}
		labels[i] = label{at: marks[i], width: sty.Width(c.text(i)), height: 0.95 * sty.Font.Size, reach: nameReach}
		if c.number[i] > 0 {
			labels[i].reach = numberReach
		}
		for _, v := range [][2]vg.Point{
			{{X: x(q.SBLEU.Mean - q.SBLEU.Deviation), Y: marks[i].Y}, {X: x(q.SBLEU.Mean + q.SBLEU.Deviation), Y: marks[i].Y}},
			{{X: marks[i].X, Y: y(q.TST.Mean - q.TST.Deviation)}, {X: marks[i].X, Y: y(q.TST.Mean + q.TST.Deviation)}},
		} {
			if v[0] != v[1] {
				lines = append(lines, segment(v))
			}
		}
	}
	// The front's points choose first, names before numbers, which fit in anywhere.
	order := make([]int, len(c.points))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		r := 0
		if c.number[i] > 0 {
			r = 2
		}
		if !slices.Contains(front, i) {
			r++
		}
		return r
	}
	slices.SortStableFunc(order, func(i, j int) int { return rank(i) - rank(j) })
	sorted := make([]label, 0, len(order))
	for _, i := range order {
		if c.text(i) != "" {
			sorted = append(sorted, labels[i])
		}
	}
	found := place(sorted, marks, markRadius+0.5, canvas.Rectangle, lines)
	out := make([]placed, len(c.points))
	next := 0
	for _, i := range order {
		if c.text(i) != "" {
			out[i] = found[next]
			next++
		}
	}
	return out
}

// Plot implements plot.Plotter.
func (c *cloud) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	if _, steps := c.front(p, canvas); len(steps) > 1 {
		canvas.StrokeLines(frontLine, steps)
	}
	labels := c.place(p, canvas)
	thin := draw.LineStyle{Color: muted, Width: 0.4}
	for _, l := range labels {
		if l.leader != nil {
			canvas.StrokeLines(thin, l.leader[:])
		}
	}
	for _, q := range c.points {
		m := q.kind().mark()
		bar := draw.LineStyle{Color: m.Color, Width: thinWidth}
		at := vg.Point{X: x(q.SBLEU.Mean), Y: y(q.TST.Mean)}
		if d := x(q.SBLEU.Mean+q.SBLEU.Deviation) - at.X; d > markRadius+1 {
			canvas.StrokeLine2(bar, at.X-d, at.Y, at.X+d, at.Y)
		}
		if d := y(q.TST.Mean+q.TST.Deviation) - at.Y; d > markRadius+1 {
			canvas.StrokeLine2(bar, at.X, at.Y-d, at.X, at.Y+d)
		}
		canvas.DrawGlyphNoClip(m, at)
	}
	sty := c.pen.style(draw.XLeft, draw.YBottom)
	for i, l := range labels {
		if l.ok {
			canvas.SetColor(color.White) // where it must cover the front's line
			canvas.Fill(l.box.Path())
			c.pen.letter(canvas, sty, vg.Point{X: l.box.Min.X, Y: l.box.Min.Y + 0.2*sty.Font.Size}, c.text(i))
		}
	}
}
