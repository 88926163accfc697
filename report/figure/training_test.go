package figure

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Losses that are different sums stand in panels of their own, others together.
func TestTrainingPanels(t *testing.T) {
	course := func(panel string, losses ...[2]float64) Curve {
		c := Curve{Panel: panel}
		for i := range losses {
			c.Epochs = append(c.Epochs, Epoch{N: i + 1, Loss: &losses[i][0], DevLoss: &losses[i][1]})
		}
		return c
	}
	together := []string{lossTitle}
	apart := []string{trainLossTitle, devLossTitle}
	half := course("m", [2]float64{9, 1})
	half.Epochs[0].Loss = nil
	for _, c := range []struct {
		name   string
		curves []Curve
		want   []string
	}{
		{"near", []Curve{course("m", [2]float64{2, 1}, [2]float64{1, 1.5})}, together},
		{"far at every epoch", []Curve{course("m", [2]float64{9, 1}, [2]float64{4.1, 1})}, apart},
		{"dev loss far above", []Curve{course("m", [2]float64{.1, 1})}, apart},
		{"the factor itself", []Curve{course("m", [2]float64{4, 1})}, together},
		{"near at one epoch", []Curve{course("m", [2]float64{9, 1}, [2]float64{3, 1})}, together},
		{"one seed near", []Curve{course("m", [2]float64{9, 1}), course("m", [2]float64{2, 1})}, together},
		{"no factor to a loss of 0", []Curve{course("m", [2]float64{9, 0})}, together},
		{"one loss alone", []Curve{half}, together},
		{
			"each model for itself",
			[]Curve{course("smlm", [2]float64{2, 1}), course("smlm-ft", [2]float64{9, 1})},
			append(slices.Clone(together), apart...),
		},
	} {
		s, err := Training{Curves: c.curves}.sheet()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range s.Panels {
			got = append(got, p.Y.Title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: panels %q, want %q", c.name, got, c.want)
		}
	}
}

// Names have lines of their own, each of them named, also where nothing tells a model's runs apart;
// many panels fill the width of a page in rows of four.
func TestTrainingLines(t *testing.T) {
	one, two := 1., 2.
	epochs := []Epoch{{N: 1, Loss: &two, DevLoss: &two}, {N: 2, Loss: &one, DevLoss: &one}}
	var curves []Curve
	for _, panel := range []string{"lm", "a", "b", "c", "d"} {
		curves = append(curves, Curve{Panel: panel, Epochs: epochs})
	}
	for _, name := range []string{"lambda_con 1", "lambda_con 2"} {
		curves = append(curves, Curve{Panel: "smlm", Name: name, Epochs: epochs})
	}
	s, err := Training{Curves: curves}.sheet()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Panels) != 6 || s.Columns != 4 || s.Size.Width != 17 {
		t.Errorf("%d panels in %d columns of %v cm", len(s.Panels), s.Columns, s.Size.Width)
	}
	seen := map[string]bool{}
	var texts []string
	for _, e := range s.Legend {
		if texts = append(texts, e.Text); e.Line != nil && len(texts) <= 3 {
			seen[fmt.Sprint(e.Line.Colour, e.Line.Pattern)] = true
		}
	}
	want := []string{noName, "lambda_con 1", "lambda_con 2", "dev set", "training set"}
	if !slices.Equal(texts, want) || len(seen) != 3 {
		t.Errorf("legend %q with %d lines, want %q with 3", texts, len(seen), want)
	}
}

// The axes are whole, and the one below is called as the key is.
func TestLambdaEpsAxes(t *testing.T) {
	s, err := LambdaEps{Series: []EpsSeries{{Name: "market", Points: []EpsPoint{
		{0.5, Of(80), Of(64)}, {1, Of(81), Of(65)},
	}}}}.sheet()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Panels {
		if p.Y.Range.Low != 0 || p.Y.Range.High != 100 || p.X.Range.Low > 0 {
			t.Errorf("axes from %v and %v", p.X.Range, p.Y.Range)
		}
	}
	if got := s.Panels[1].X.Title; got != "lambda_eps" {
		t.Errorf("the axis is called %q", got)
	}
}

// Series that lie on each other stand side by side, in both panels; others where they belong.
func TestLambdaEpsSpread(t *testing.T) {
	for accuracy, spread := range map[float64]bool{64.5: true, 90: false} {
		s, err := LambdaEps{Series: []EpsSeries{
			{Name: "a", Points: []EpsPoint{{0.5, Of(80), Of(64)}, {1, Of(81), Of(65)}}},
			{Name: "b", Points: []EpsPoint{{0.5, Of(50), Of(accuracy)}}},
		}}.sheet()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Panels {
			var shifts []float64
			for _, c := range p.Curves {
				if len(c.Dots) > 0 {
					shifts = append(shifts, c.Shift.Points())
				}
			}
			if len(shifts) != 2 || (shifts[1]-shifts[0] > 4) != spread || shifts[0] != -shifts[1] {
				t.Errorf("accuracy %v: shifts %v", accuracy, shifts)
			}
		}
	}
}

// Points of one system share a mark, which the legend names once; published ones are named beside
// theirs.
func TestTradeOffMarks(t *testing.T) {
	point := func(name string, x, y float64) TradeOffPoint {
		return TradeOffPoint{Name: name, SBLEU: Value{Mean: x}, TST: Value{Mean: y}}
	}
	published := point("DirR", 60, 90)
	published.Published = true
	f := TradeOff{Panels: []TradeOffPanel{{Points: []TradeOffPoint{
		point("SMLM", 70, 80), point("SMLM-G", 75, 35), point("SMLM", 71, 81), published,
	}}}}
	s, err := f.sheet()
	if err != nil {
		t.Fatal(err)
	}
	points := s.Panels[0].Cloud.Points
	if points[0].Mark != points[2].Mark || points[0].Mark == points[1].Mark || points[0].Name != "" {
		t.Errorf("marks %+v", points)
	}
	if points[3].Name != "DirR" {
		t.Errorf("the published system is called %q", points[3].Name)
	}
	var texts []string
	for _, e := range s.Legend {
		texts = append(texts, e.Text)
	}
	if want := []string{"SMLM", "SMLM-G", "published", "Pareto front"}; !slices.Equal(texts, want) {
		t.Errorf("legend %q, want %q", texts, want)
	}
}

// No SVG asks for a font without a family that every viewer has behind it.
func TestSVGFonts(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, maskedParts(1, 1), "svg"); err != nil {
		t.Fatal(err)
	}
	families := regexp.MustCompile(`font-family="([^"]*)"`).FindAllStringSubmatch(b.String(), -1)
	if len(families) == 0 {
		t.Error("there is no text")
	}
	for _, f := range families {
		if !strings.HasSuffix(f[1], ",sans-serif") {
			t.Fatalf("the font is %q", f[1])
		}
	}
}
