package figure

import (
	"slices"
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
