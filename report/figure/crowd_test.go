package figure

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
)

// Where marks crowd, a second panel shows that part larger: every point of the frame is in it with
// its name, which the first panel leaves to it, and no point is lost.
func TestEnlarge(t *testing.T) {
	f := crowded(20)
	for i := range f.Panels[0].Points {
		f.Panels[0].Points[i].Signs = "§" // so that each has a name
	}
	s, err := f.sheet()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Panels) != 2 || s.Panels[0].Frame == nil {
		t.Fatalf("%d panels, frame %v", len(s.Panels), s.Panels[0].Frame)
	}
	whole, larger := s.Panels[0], s.Panels[1]
	frame := whole.Frame
	if larger.X.Range != frame.X || larger.Y.Range != frame.Y {
		t.Errorf("the frame is %v, and the panel shows %v and %v", frame, larger.X.Range, larger.Y.Range)
	}
	named := 0
	for _, q := range whole.Cloud.Points {
		if is := frame.Holds(q.X.Mean, q.Y.Mean); is != q.Framed || is && q.Name != "" {
			t.Errorf("in the frame %v: %+v", is, q)
		}
		if q.Name != "" {
			named++
		}
	}
	for _, q := range larger.Cloud.Points {
		if q.Framed || q.Name == "" || !frame.Holds(q.X.Mean, q.Y.Mean) {
			t.Errorf("in the larger panel: %+v", q)
		}
		named++
	}
	if len(whole.Cloud.Points) != 20 || named != 20 {
		t.Errorf("%d points, %d names, want 20", len(whole.Cloud.Points), named)
	}
	for _, panel := range s.Panels {
		for _, i := range panel.Cloud.Steps {
			if i >= len(panel.Cloud.Points) {
				t.Errorf("a step leads to point %d of %d", i, len(panel.Cloud.Points))
			}
		}
	}
}

// Points that lie apart, few that do not, and a crowd that fills the panel have no second panel.
func TestNothingToEnlarge(t *testing.T) {
	at := func(places ...[2]float64) (points []TradeOffPoint) {
		for _, p := range places {
			points = append(points, TradeOffPoint{Name: "SMLM", X: Value{Mean: p[0]}, Y: Value{Mean: p[1]}})
		}
		return points
	}
	var full [][2]float64
	for i := range 400 {
		full = append(full, [2]float64{float64(i % 20), float64(i / 20)})
	}
	for name, points := range map[string][]TradeOffPoint{
		"apart":      systems(8).Panels[0].Points,
		"three":      at([2]float64{0, 0}, [2]float64{80, 80}, [2]float64{80, 80}, [2]float64{80.1, 80}),
		"one point":  at([2]float64{5, 5}, [2]float64{5, 5}, [2]float64{5, 5}, [2]float64{5, 5}),
		"everywhere": at(full...),
		"side by side": at(
			[2]float64{0, 0}, [2]float64{97, 100}, [2]float64{94, 100}, [2]float64{91, 100}, [2]float64{100, 100},
		),
	} {
		s, err := tradeOff(TradeOffPanel{Points: points}).sheet()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Panels) != 1 || s.Panels[0].Frame != nil {
			t.Errorf("%s: %d panels, frame %v", name, len(s.Panels), s.Panels[0].Frame)
		}
	}
	var none *drawing.Frame
	if f := crowdOf(&drawing.Panel{Cloud: &drawing.Cloud{}}); f != none {
		t.Errorf("of nothing the frame is %v", f)
	}
}
