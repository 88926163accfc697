package drawing

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"
)

// However the points lie, no mark that is not framed hides another while there is a place beside
// it, and all stand where they belong or near.
func TestMarksAside(t *testing.T) {
	identity := func(v float64) vg.Length { return vg.Length(v) }
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		c := &cloud{}
		for range n {
			at := func(name string) Value { return Value{Mean: rapid.Float64Range(0, 60).Draw(t, name)} }
			c.points = append(c.points, Point{X: at("x"), Y: at("y")})
		}
		if rapid.Bool().Draw(t, "all of one place") {
			for i := range c.points {
				c.points[i] = c.points[0]
			}
		}
		marks := c.marks(identity, identity)
		for i, m := range marks {
			dx, dy := float64(m.X)-c.points[i].X.Mean, float64(m.Y)-c.points[i].Y.Mean
			if math.Hypot(dx, dy) > 2.01*float64(clear) {
				t.Fatalf("mark %d is moved by %v, %v", i, dx, dy)
			}
			for k, other := range marks[:i] {
				if math.Hypot(float64(other.X-m.X), float64(other.Y-m.Y)) < float64(covered) && n <= 4 {
					t.Fatalf("mark %d of %d hides mark %d: %v", i, n, k, marks)
				}
			}
		}
	})
}

// However the points lie: what is placed overlaps no mark, no other label and not the frame, and no
// leader runs through a label.
func TestPlaceNeverOverlaps(t *testing.T) {
	frame := vg.Rectangle{Max: vg.Point{X: 200, Y: 150}}
	const radius = 3
	rapid.Check(t, func(t *rapid.T) {
		length := func(name string, low, high float64) vg.Length {
			return vg.Length(rapid.Float64Range(low, high).Draw(t, name))
		}
		n := rapid.IntRange(1, 40).Draw(t, "n")
		var labels []label
		var marks []vg.Point
		for range n {
			p := vg.Point{X: length("x", 0, 200), Y: length("y", 0, 150)}
			marks = append(marks, p)
			labels = append(
				labels, label{at: p, width: length("width", 3, 90), height: 7, reach: length("reach", 0, 50)},
			)
		}
		got := place(labels, marks, radius, frame, []segment{{marks[0], marks[n-1]}})
		if !reflect.DeepEqual(got, place(labels, marks, radius, frame, []segment{{marks[0], marks[n-1]}})) {
			t.Fatal("placed differently the second time")
		}
		for i, a := range got {
			if !a.ok {
				continue
			}
			if a.box.Min.X < 0 || a.box.Min.Y < 0 || a.box.Max.X > 200 || a.box.Max.Y > 150 {
				t.Fatalf("label %d is outside: %v", i, a.box)
			}
			for _, m := range marks {
				if m.X > a.box.Min.X-radius && m.X < a.box.Max.X+radius && m.Y > a.box.Min.Y-radius &&
					m.Y < a.box.Max.Y+radius {
					t.Fatalf("label %d %v covers the mark at %v", i, a.box, m)
				}
			}
			for j, b := range got {
				if i < j && b.ok && a.box.Min.X < b.box.Max.X && b.box.Min.X < a.box.Max.X &&
					a.box.Min.Y < b.box.Max.Y &&
					b.box.Min.Y < a.box.Max.Y {
					t.Fatalf("labels %d and %d overlap: %v %v", i, j, a.box, b.box)
				}
				if i != j && a.leader != nil && b.ok && crosses(*a.leader, b.box) {
					t.Fatalf("the leader of label %d runs through label %d", i, j)
				}
			}
		}
	})
}

// A label with all the room there is stands right of its mark; one at the right edge does not.
func TestPlaceAlone(t *testing.T) {
	frame := vg.Rectangle{Max: vg.Point{X: 100, Y: 100}}
	for _, c := range []struct {
		at    vg.Point
		right bool
	}{{vg.Point{X: 50, Y: 50}, true}, {vg.Point{X: 98, Y: 50}, false}} {
		l := label{at: c.at, width: 20, height: 7, reach: 8}
		p := place([]label{l}, []vg.Point{c.at}, 3, frame, nil)[0]
		if !p.ok || p.leader != nil || p.box.Min.X > c.at.X != c.right {
			t.Errorf("at %v: %+v", c.at, p)
		}
	}
}

func TestCrosses(t *testing.T) {
	box := vg.Rectangle{Min: vg.Point{X: 1, Y: 1}, Max: vg.Point{X: 3, Y: 2}}
	for _, c := range []struct {
		s    segment
		want bool
	}{
		{segment{{X: 0, Y: 0}, {X: 4, Y: 3}}, true},
		{segment{{X: 2, Y: 0}, {X: 2, Y: 5}}, true},
		{segment{{X: 1.5, Y: 1.5}, {X: 2, Y: 1.6}}, true}, // within
		{segment{{X: 0, Y: 0}, {X: 4, Y: 0.5}}, false},
		{segment{{X: 0, Y: 3}, {X: 0, Y: 0}}, false},
		{segment{{X: 0, Y: 1}, {X: 0.9, Y: 2}}, false},
	} {
		if got := crosses(c.s, box); got != c.want {
			t.Errorf("%v through %v: %v, want %v", c.s, box, got, c.want)
		}
	}
}

// points are n points: scattered in three bands, or crowded, within two percent of each other.
func points(n int, crowded bool) *Cloud {
	c := &Cloud{}
	for i := range n {
		x := 20 + 55*math.Mod(float64(i)*0.618, 1)
		p := Point{
			Name: fmt.Sprintf("SMLM-FT, lambda_eps %.2f", float64(i)/40), X: Value{Mean: x},
			Y: Value{Mean: 100 - x*x/90 - float64(3*(i%4))},
		}
		if i%3 > 0 {
			p.Name = fmt.Sprintf("SMLM %d", i)
		} else {
			p.X.Deviation, p.Y.Deviation = 0.8, 1.5
		}
		if crowded && i > 0 {
			p.X.Mean, p.Y.Mean = 60+float64(i%7)/5, 80+float64(i%5)/5
		}
		c.Points = append(c.Points, p)
	}
	return c
}

// arranged is the layout of one cloud, the cloud as it was arranged, and its panel.
func arranged(c *Cloud) (l *layout, drawn *cloud, at draw.Canvas) {
	p := newPen(backEnds["png"].spell, Size{})
	x, y := EmptySpan(), EmptySpan()
	for _, q := range c.Points {
		x.Add(q.X)
		y.Add(q.Y)
	}
	panel := &Panel{Cloud: c, X: Axis{Range: x.Padded(0.08), Most: 7}, Y: Axis{Range: y.Padded(0.08), Most: 7}}
	l = (&Sheet{Height: 6.5, Columns: 1, Panels: []*Panel{panel}}).layout(p)
	drawn, at = newCloud(p, &Panel{Cloud: c}), draw.Canvas{Rectangle: l.dataRectangles()[0]}
	drawn.arrange(l.plots[0], at.Rectangle, 1)
	return l, drawn, at
}

// Every point is named: beside its mark, or by a number that the legend explains. With 40 points
// there is room for every number.
func TestEveryPointIsNamed(t *testing.T) {
	for _, n := range []int{1, 8, 24, 40} {
		l, c, at := arranged(points(n, false))
		numbers := 0
		for i, found := range c.place(l.plots[0], at) {
			if !found.ok {
				t.Errorf("%d points: %q has no room, as name or number", n, c.points[i].Name)
			}
			if c.number[i] > 0 {
				numbers++
			}
		}
		if numbers != len(l.numbers) {
			t.Errorf("%d points: arranged twice, %d and %d numbers", n, numbers, len(l.numbers))
		}
	}
}

// Where not even a number has room, the legend says where the point is.
func TestNoRoomIsSaid(t *testing.T) {
	l, _, _ := arranged(points(40, true))
	if len(l.numbers) != 40 {
		t.Fatalf("%d numbers in the legend, want 40", len(l.numbers))
	}
	said := 0
	for _, e := range l.numbers {
		if e.Text[len(e.Text)-1] == ')' {
			said++
		}
	}
	if said == 0 || said == 40 {
		t.Errorf("%d of 40 entries say where the point is", said)
	}
}
