package figure

import (
	"reflect"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"
)

// However the points lie: what is placed overlaps no mark, no other label and not the frame, and no leader runs through a label.
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
			labels = append(labels, label{at: p, width: length("width", 3, 90), height: 7, reach: length("reach", 0, 50)})
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
				if m.X > a.box.Min.X-radius && m.X < a.box.Max.X+radius && m.Y > a.box.Min.Y-radius && m.Y < a.box.Max.Y+radius {
					t.Fatalf("label %d %v covers the mark at %v", i, a.box, m)
				}
			}
			for j, b := range got {
				if i < j && b.ok && a.box.Min.X < b.box.Max.X && b.box.Min.X < a.box.Max.X && a.box.Min.Y < b.box.Max.Y && b.box.Min.Y < a.box.Max.Y {
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

// Every point is named: beside its mark, or by a number that the legend explains. With 40 systems there is room for every number.
func TestEveryPointIsNamed(t *testing.T) {
	for _, n := range []int{1, 8, 24, 40} {
		p := newPen("png", Size{})
		f := systems(n)
		s, err := f.sheet(p)
		if err != nil {
			t.Fatal(err)
		}
		c := &cloud{pen: p, points: f.Panels[0].Points}
		plt := c.axes("")
		rect := s.dataRectangles()[0]
		numbers := c.arrange(plt, rect, 1)
		if len(numbers) != len(s.numbers) {
			t.Errorf("%d points: arranged twice, %d and %d numbers", n, len(numbers), len(s.numbers))
		}
		for i, l := range c.place(plt, draw.Canvas{Rectangle: rect}) {
			if !l.ok {
				t.Errorf("%d points: %q has no room, as name or number", n, c.points[i].Name)
			}
		}
	}
}

// Where not even a number has room, the legend says where the point is.
func TestNoRoomIsSaid(t *testing.T) {
	s, err := crowded(40).sheet(newPen("png", Size{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.numbers) != 40 {
		t.Fatalf("%d numbers in the legend, want 40", len(s.numbers))
	}
	said := 0
	for _, e := range s.numbers {
		if e.text[len(e.text)-1] == ')' {
			said++
		}
	}
	if said == 0 || said == 40 {
		t.Errorf("%d of 40 entries say where the point is", said)
	}
}
