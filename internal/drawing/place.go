package drawing

import (
	"math"

	"gonum.org/v1/plot/vg"
)

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
