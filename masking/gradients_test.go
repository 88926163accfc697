package masking

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// The function some returns four sentences of equal length, which form one batch.
func some() corpus.Encoded {
	return corpus.Encoded{
		IDs: [][]int64{{9, 10, 11}, {12, 13, 9}, {20, 1, 25}, {14, 29, 18}}, Styles: []int{0, 1, 1, 0},
	}
}

// TestGradientByDifferences compares gradients with central differences of F. The test changes one
// number of the input at a time.
func TestGradientByDifferences(t *testing.T) {
	const h = 1e-2
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		d := some()
		e := explainer{method: policy.Gradients, model: m, data: d, batch: []int{0, 1, 2, 3}}
		x := m.Inputs(nn.Stack(d.IDs, e.batch), false)
		g, err := e.gradient(x)
		if err != nil {
			return err
		}
		at, got, shape := x.Floats(), g.Floats(), x.Shape()
		largest, off := 0.0, 0.0
		for i := range at {
			was := at[i]
			at[i] = was + h
			up := e.target(torch.FromFloats(at, shape...)).Sum().Item()
			at[i] = was - h
			down := e.target(torch.FromFloats(at, shape...)).Sum().Item()
			at[i] = was
			largest = max(largest, math.Abs(float64(got[i])))
			off = max(off, math.Abs(float64(got[i])-(up-down)/(2*h)))
		}
		t.Logf("largest deviation: %.1e of the largest derivative", off/largest)
		// The error of a central difference is about h^2 times the third derivative, plus rounding
		// errors divided by h.
		if !(off <= 2e-3*largest) {
			t.Errorf("off by %v, the largest derivative is %v", off, largest)
		}
		return nil
	})
}

// The function change returns F(x) - F(0) of each sentence.
func change(e *explainer, x *torch.Tensor) []float64 {
	return doubles(e.target(x).Sub(e.target(torch.Zeros(x.Shape()...))))
}

// TestCompleteness checks that the attributions of integrated gradients sum to F(x) - F(0), with an
// error that shrinks with the number of points, and that with 256 points only the rounding of
// float32 is left (Sundararajan et al. 2017, proposition 1).
func TestCompleteness(t *testing.T) {
	// The rounding errors come from four sentences, with 256 points each. A point takes three time
	// steps in both directions, with sums of 6 + 5 terms.
	closed := 4 * testkit.RoundingBound(append(testkit.Chain(6, 11), 256)...)
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		d := some()
		gap := map[int]float64{}
		for _, steps := range []int{2, 16, 256} {
			e := explainer{method: policy.IntegratedGradients, model: m, data: d, batch: []int{0, 1, 2, 3}}
			x := m.Inputs(nn.Stack(d.IDs, e.batch), false)
			a, err := e.attributions(x, steps)
			if err != nil {
				return err
			}
			sums := doubles(a.Reshape(x.Size(0), -1).SumDim(1, false))
			for i, c := range change(&e, x) {
				gap[steps] += math.Abs(sums[i] - c)
				if c == 0 {
					t.Errorf("sentence %d does not change anything", i)
				}
			}
		}
		t.Logf("gaps %v", gap)
		if gap[16] > gap[2]/2 || gap[256] > closed {
			t.Errorf("the gap does not close: %v", gap)
		}
		return nil
	})
}

// TestGaussLegendreIsExact checks that n points integrate every power up to 2n-1 exactly, and that
// no point occurs twice.
func TestGaussLegendreIsExact(t *testing.T) {
	for _, n := range []int{2, 3, 16, integrationSteps, 256} {
		points, weights := gaussLegendre(n)
		powers := make([]float64, min(2*n, 40)) // for each degree, the sum of weight * at^degree
		last := 0.0
		for k, at := range points {
			weight := weights[k]
			if !(at > last && at < 1) {
				t.Fatalf("%d points: point %d is %v after %v", n, k, at, last)
			}
			last = at
			for degree := range powers {
				powers[degree] += weight
				weight *= at
			}
		}
		for degree, sum := range powers {
			if want := 1 / float64(degree+1); math.Abs(sum-want) > 1e-13 {
				t.Errorf("%d points, degree %d: %v, want %v", n, degree, sum, want)
			}
		}
	}
}
