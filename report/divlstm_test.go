package report

import (
	"slices"
	"testing"
)

// TestMixtureIsSaid: a weight of the authors' code beside the mean of Mohankumar et al. is noted, a
// weight in its own convention is not.
func TestMixtureIsSaid(t *testing.T) {
	for _, c := range []struct {
		weight    float64
		reduction string
		said      bool
	}{
		{10, "mean", true},
		{5, "mean", true},
		{2, "mean", false},
		{10, "sum", false},
		{0, "mean", false},
	} {
		rows := []DivLSTMRow{{Dataset: "a", LambdaCon: .5, Reduction: "mean"}, {
			Dataset: "a", LambdaCon: c.weight, Reduction: c.reduction,
		}}
		if said := slices.Contains(DivLSTM(rows, About{}).Notes, mixtureNote); said != c.said {
			t.Errorf("%+v: said %v", c, said)
		}
	}
}
