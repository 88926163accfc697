package drawing

import (
	"fmt"
	"image/color"
	"math"
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
	// it may lie under others, as another panel shows this part larger; else it stands beside them
	Framed bool
}

// StepLine is how a cloud's steps are drawn.
var StepLine = Line{Colour: Muted, Thin: true, Dashed: true}

// cloud draws a Cloud.
type cloud struct {
	pen    *pen
	points []Point
	steps  []int
	frame  *Frame // nil: none
	number []int  // per point; 0: the name stands beside it
	noRoom []bool // neither name nor number has room
}

const (
	nameReach   = vg.Length(8)   // of a name from its mark
	numberReach = vg.Length(45)  // of a number
	widest      = vg.Length(0.4) // of a name, as a share of the panel
)

func newCloud(p *pen, of *Panel) *cloud {
	c := &cloud{pen: p, points: slices.Clone(of.Cloud.Points), steps: of.Cloud.Steps, frame: of.Frame}
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
	if f := c.frame; f != nil {
		left, right, foot, top := x(f.X.Low), x(f.X.High), y(f.Y.Low), y(f.Y.High)
		lines = append(lines,
			segment{{X: left, Y: foot}, {X: right, Y: foot}},
			segment{{X: left, Y: top}, {X: right, Y: top}},
			segment{{X: left, Y: foot}, {X: left, Y: top}},
			segment{{X: right, Y: foot}, {X: right, Y: top}},
		)
	}
	sty := c.pen.style(draw.XLeft, draw.YBottom)
	marks, labels := c.marks(x, y), make([]label, len(c.points))
	for i, q := range c.points {
		at := marks[i]
		labels[i] = label{at: at, width: sty.Width(c.text(i)), height: 0.95 * sty.Font.Size, reach: nameReach}
		if c.number[i] > 0 {
			labels[i].reach = numberReach
		}
		for _, bar := range []segment{
			{{X: at.X - bar(x, q.X), Y: at.Y}, {X: at.X + bar(x, q.X), Y: at.Y}},
			{{X: at.X, Y: at.Y - bar(y, q.Y)}, {X: at.X, Y: at.Y + bar(y, q.Y)}},
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

// bar is how long that of a deviation is.
func bar(scale func(float64) vg.Length, v Value) vg.Length {
	return scale(v.Mean+v.Deviation) - scale(v.Mean)
}

const (
	covered = 1.5 * markRadius // so near one mark hides another
	clear   = 2 * markRadius   // so far apart both are whole
)

// aside are the places tried for a mark that would hide another, as directions.
var aside = [][2]vg.Length{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}, {2, 0}, {-2, 0}}

// marks are the places of the marks. One that would hide an earlier one stands beside it, where
// there is a free place.
func (c *cloud) marks(x, y func(float64) vg.Length) []vg.Point {
	out := make([]vg.Point, len(c.points))
	for i, q := range c.points {
		here := vg.Point{X: x(q.X.Mean), Y: y(q.Y.Mean)}
		nearer := func(at vg.Point, than vg.Length) bool {
			for k, other := range out[:i] {
				dx, dy := float64(other.X-at.X), float64(other.Y-at.Y)
				if !c.points[k].Framed && math.Hypot(dx, dy) < float64(than) {
					return true
				}
			}
			return false
		}
		out[i] = here
		if q.Framed || !nearer(here, covered) {
			continue
		}
		for _, step := range aside {
			at := vg.Point{X: here.X + step[0]*clear, Y: here.Y + step[1]*clear}
			if !nearer(at, 0.99*clear) {
				out[i] = at
				break
			}
		}
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
	marks := c.marks(x, y)
	for i, q := range c.points {
		q.draw(canvas, marks[i], x, y)
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

// draw draws the mark of a point and its bars.
func (q *Point) draw(canvas draw.Canvas, at vg.Point, x, y func(float64) vg.Length) {
	thin := Line{Colour: q.Mark.Colour, Thin: true}.style()
	in := canvas.Rectangle // of a part of a panel, bars may reach beyond it
	if d := bar(x, q.X); d > markRadius+1 {
		canvas.StrokeLine2(thin, max(in.Min.X, at.X-d), at.Y, min(in.Max.X, at.X+d), at.Y)
	}
	if d := bar(y, q.Y); d > markRadius+1 {
		canvas.StrokeLine2(thin, at.X, max(in.Min.Y, at.Y-d), at.X, min(in.Max.Y, at.Y+d))
	}
	q.Mark.draw(canvas, at)
}

// label is a text to stand beside the mark at a point.
type label struct {
	at            vg.Point
	width, height vg.Length
	reach         vg.Length // how far from the mark it may stand; beyond near, a leader joins the two
}

// placed is where a label stands. Without ok it has no room.
type placed struct {
	ok     bool
	box    vg.Rectangle
	leader *[2]vg.Point
}

const (
	near    = vg.Length(3) // no leader is needed up to here
	stepOut = vg.Length(4)
	boxPad  = vg.Length(0.6)
)

// turns are the directions tried, in sixteenths of a circle from the right.
var turns = []int{0, 2, 14, 4, 12, 8, 6, 10, 1, 15, 3, 13, 7, 9, 5, 11}

// segment is a stretch of a line that a label had better not cover.
type segment [2]vg.Point

// place puts labels beside their marks, each at the first of the places tried that touches no mark
// (a disc of a radius round every point), no other label or leader, and not the frame: next to the
// mark, to the right first and then round it, then further out. Among equally near places one that
// covers none of the lines is taken first. The labels choose in their order, so equal input gives
// equal places.
func place(labels []label, marks []vg.Point, radius vg.Length, frame vg.Rectangle, lines []segment) []placed {
	out := make([]placed, len(labels))
	var boxes []vg.Rectangle
	var leaders []segment
	markBox := func(p vg.Point, r vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
	}
	free := func(l label, box vg.Rectangle, leader *segment) bool {
		if box.Min.X < frame.Min.X || box.Min.Y < frame.Min.Y || box.Max.X > frame.Max.X || box.Max.Y > frame.Max.Y {
			return false
		}
		for _, b := range boxes {
			if overlap(b, box) || leader != nil && crosses(*leader, b) {
				return false
			}
		}
		for _, m := range marks {
			if overlap(markBox(m, radius), box) ||
				leader != nil && m != l.at && crosses(*leader, markBox(m, 0.7*radius)) {
				return false
			}
		}
		for _, s := range leaders {
			if crosses(s, box) || leader != nil && meet(s, *leader) {
				return false
			}
		}
		return true
	}
	for i, l := range labels {
		for d := radius + 1; d <= radius+l.reach && !out[i].ok; d += stepOut {
			var fallback *placed
			for _, turn := range turns {
				if d <= radius+near && turn%2 == 1 {
					continue // so near, eight directions differ enough
				}
				p := l.beside(float64(turn)*math.Pi/8, d, radius)
				if !free(l, p.box, (*segment)(p.leader)) {
					continue
				}
				if !covers(p.box, lines) {
					out[i] = p
					break
				}
				if fallback == nil {
					fallback = &p
				}
			}
			if !out[i].ok && fallback != nil {
				out[i] = *fallback
			}
		}
		if out[i].ok {
			boxes = append(boxes, out[i].box)
			if out[i].leader != nil {
				leaders = append(leaders, *out[i].leader)
			}
		}
	}
	return out
}

// beside puts the label in a direction, its nearest edge or corner at a distance from the point.
func (l label) beside(angle float64, d, radius vg.Length) placed {
	sin, cos := math.Sincos(angle)
	s, c := vg.Length(sin), vg.Length(cos)
	touch := vg.Point{X: l.at.X + d*c, Y: l.at.Y + d*s}
	// A quarter to the right the box's left edge touches, its middle at half height; in between,
	// its corner.
	x, y := touch.X-l.width/2, touch.Y-l.height/2
	switch {
	case cos > 0.1:
		x = touch.X
	case cos < -0.1:
		x = touch.X - l.width
	}
	switch {
	case sin > 0.1:
		y = touch.Y
	case sin < -0.1:
		y = touch.Y - l.height
	}
	p := placed{ok: true, box: vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + l.width, Y: y + l.height}}}
	if d > radius+near {
		p.leader = &[2]vg.Point{{X: l.at.X + radius*c, Y: l.at.Y + radius*s}, touch}
	}
	return p
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X+boxPad && b.Min.X < a.Max.X+boxPad && a.Min.Y < b.Max.Y+boxPad && b.Min.Y < a.Max.Y+boxPad
}

func covers(box vg.Rectangle, lines []segment) bool {
	for _, s := range lines {
		if crosses(s, box) {
			return true
		}
	}
	return false
}

// crosses says whether a stretch runs through a box (Liang and Barsky's clipping).
func crosses(s segment, box vg.Rectangle) bool {
	from, to := vg.Length(0), vg.Length(1)
	dx, dy := s[1].X-s[0].X, s[1].Y-s[0].Y
	for _, edge := range [4][2]vg.Length{
		{-dx, s[0].X - box.Min.X}, {dx, box.Max.X - s[0].X}, {-dy, s[0].Y - box.Min.Y}, {dy, box.Max.Y - s[0].Y},
	} {
		p, q := edge[0], edge[1]
		switch {
		case p == 0 && q < 0:
			return false
		case p < 0:
			from = max(from, q/p)
		case p > 0:
			to = min(to, q/p)
		}
	}
	return from < to
}

// meet says whether two stretches cross.
func meet(a, b segment) bool {
	side := func(s segment, p vg.Point) vg.Length {
		return (s[1].X-s[0].X)*(p.Y-s[0].Y) - (s[1].Y-s[0].Y)*(p.X-s[0].X)
	}
	return side(a, b[0])*side(a, b[1]) < 0 && side(b, a[0])*side(b, a[1]) < 0
}
