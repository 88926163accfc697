package masking

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"pgregory.net/rapid"
)

func TestDistributionCases(t *testing.T) {
	e := math.E
	for _, c := range []struct {
		scale policy.AttrScale
		row   []float64
		want  []float64
	}{
		{"positive", []float64{3, -5, 1}, []float64{.75, 0, .25}},
		{"positive", []float64{-1, -2}, []float64{.5, .5}}, // nothing is positive
		{"positive", []float64{0, 0, 0, 0}, []float64{.25, .25, .25, .25}},
		{"positive", []float64{1e-300, 3e-300}, []float64{.25, .75}},
		{"positive", []float64{-7}, []float64{1}},
		{"softmax", []float64{1, 0}, []float64{e / (1 + e), 1 / (1 + e)}},
		{"softmax", []float64{1000, 1000, -1000}, []float64{.5, .5, 0}},
	} {
		got, err := distributions(append([]float64{}, c.row...), len(c.row), c.scale)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%s of %v: %v, want %v", c.scale, c.row, got, c.want)
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got, err := distributions([]float64{1, bad}, 2, "positive"); err == nil {
			t.Errorf("%v became %v", bad, got)
		}
	}
}

// TestDistributionKeepsTheOrder: of two words the one of the higher attribution has no lower score.
func TestDistributionKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Float64Range(-10, 10), 1, 20).Draw(t, "row")
		scale := rapid.SampledFrom([]policy.AttrScale{policy.Positive, policy.Softmax}).Draw(t, "scale")
		got, err := distributions(append([]float64{}, row...), len(row), scale)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, x := range got {
			sum += x
			for j, y := range got {
				if row[i] > row[j] && x < y {
					t.Fatalf("%s: %v became %v", scale, row, got)
				}
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("%s: %v sums to %v", scale, got, sum)
		}
	})
}

func TestReduce(t *testing.T) {
	parity.OnTorch(t, func() error {
		a := torch.FromFloats([]float32{3, -4, 0, 1, 1, -1}, 1, 2, 3)
		for how, want := range map[policy.AttrReduce][2]float64{
			"sum": {-1, 1}, "l2": {5, math.Sqrt(3)}, "abs": {7, 3},
		} {
			if got := reduce(a, how); math.Abs(got[0]-want[0]) > 1e-6 || math.Abs(got[1]-want[1]) > 1e-6 {
				t.Errorf("%s: %v, want %v", how, got, want)
			}
		}
		return nil
	})
}
