package masking

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

func TestDistributionCases(t *testing.T) {
	for _, c := range []struct {
		row  []float64
		want []float64
	}{
		{[]float64{3, -5, 1}, []float64{.75, 0, .25}},
		{[]float64{-1, -2}, []float64{.5, .5}}, // no attribution is positive
		{[]float64{0, 0, 0, 0}, []float64{.25, .25, .25, .25}},
		{[]float64{1e-300, 3e-300}, []float64{.25, .75}},
		{[]float64{-7}, []float64{1}},
	} {
		got, err := distributions(append([]float64{}, c.row...), len(c.row))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%v became %v, want %v", c.row, got, c.want)
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got, err := distributions([]float64{1, bad}, 2); err == nil {
			t.Errorf("%v became %v", bad, got)
		}
	}
}

// TestDistributionKeepsTheOrder checks that a word does not get a lower score than a word with a
// lower attribution.
func TestDistributionKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Float64Range(-10, 10), 1, 20).Draw(t, "row")
		got, err := distributions(append([]float64{}, row...), len(row))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, x := range got {
			sum += x
			for j, y := range got {
				if row[i] > row[j] && x < y {
					t.Fatalf("%v became %v", row, got)
				}
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("%v sums to %v", got, sum)
		}
	})
}

func TestLengthsAndSums(t *testing.T) {
	parity.OnTorch(t, func() error {
		a := torch.FromFloats([]float32{3, -4, 0, 1, 1, -1}, 1, 2, 3)
		if got := lengths(a); math.Abs(got[0]-5) > 1e-6 || math.Abs(got[1]-math.Sqrt(3)) > 1e-6 {
			t.Errorf("lengths %v", got)
		}
		if got := sums(a); got[0] != -1 || got[1] != 1 {
			t.Errorf("sums %v", got)
		}
		return nil
	})
}
