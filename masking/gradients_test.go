package masking

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// some is sentences of one length, so that they are one batch.
func some() corpus.Encoded {
	return corpus.Encoded{
		IDs: [][]int64{{9, 10, 11}, {12, 13, 9}, {20, 1, 25}, {14, 29, 18}}, Styles: []int{0, 1, 1, 0},
	}
}

// TestGradientByDifferences compares gradients with central differences of the target, each input
// moved alone.
func TestGradientByDifferences(t *testing.T) {
	const h = 1e-2
	for _, c := range []struct {
		name   string
		target policy.AttrTarget
		loss   divlstm.Loss
	}{
		{"log odds", "logodds", divlstm.Loss{}},
		{"loss", "loss", divlstm.Loss{LambdaCon: 2}},
		{"signed", "loss", divlstm.Loss{
			LambdaCon: 2, DivLSTMLoss: recipe.DivLSTMLoss{ConicityForm: recipe.SignedForm},
		}},
		{"across the batch", "loss", divlstm.Loss{
			LambdaCon: 2, DivLSTMLoss: recipe.DivLSTMLoss{ConicityAxis: recipe.BatchAxis},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parity.OnTorch(t, func() error {
				m := fresh(plain)
				defer m.Params.Free()
				d := some()
				a := Attribution{Scoring: policy.Scoring{AttrTarget: c.target}, Method: policy.Gradients}
				e := explainer{Attribution: a, model: m, data: d, loss: c.loss, batch: []int{0, 1, 2, 3}}
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
				if !(off <= 2e-3*largest) { // of a difference: h^2 by the third derivative, and rounding over h
					t.Errorf("off by %v, the largest derivative is %v", off, largest)
				}
				return nil
			})
		})
	}
}

// TestCompleteness: the gap closes with the steps, by every rule, and at 256 Gauss-Legendre points
// is float32's rounding (Sundararajan et al. 2017, proposition 1).
func TestCompleteness(t *testing.T) {
	// Of four sentences, each the sum of 256 points of three time steps, forward and back, of 6 + 5
	// terms.
	closed := 4 * testkit.RoundingBound(append(testkit.Chain(6, 11), 256)...)
	for _, c := range []struct {
		a      Attribution
		loss   divlstm.Loss
		config divlstm.Config
	}{
		{Attribution{Scoring: policy.Scoring{IGTimesInput: true, IGRule: policy.GaussLegendre}}, diverse, plain},
		{
			Attribution{Scoring: policy.Scoring{IGTimesInput: true, IGRule: "gauss_legendre", IGBaseline: "mean"}},
			diverse, plain,
		},
		{
			Attribution{Scoring: policy.Scoring{IGTimesInput: true, IGRule: "gauss_legendre", AttrTarget: "loss"}},
			diverse, plain,
		},
		{
			Attribution{Scoring: policy.Scoring{IGRule: "gauss_legendre", AttrTarget: "loss", IGTimesInput: false}},
			divlstm.Loss{LambdaCon: 2, DivLSTMLoss: recipe.DivLSTMLoss{ConicityAxis: recipe.BatchAxis}},
			latents,
		},
		{Attribution{Scoring: policy.Scoring{IGTimesInput: true, IGRule: policy.Left}}, diverse, latents},
		{
			Attribution{Scoring: policy.Scoring{IGTimesInput: true, IGRule: "midpoint", IGBaseline: "mean"}},
			diverse,
			latents,
		},
	} {
		parity.OnTorch(t, func() error {
			m := fresh(c.config)
			defer m.Params.Free()
			gap := map[int]float64{}
			c.a.Method = policy.IntegratedGradients
			for _, c.a.IGSteps = range []int{2, 16, 256} {
				s, err := c.a.Scores(t.Context(), m, some(), c.loss, nil)
				if err != nil {
					return err
				}
				for i, g := range s.Gap {
					gap[c.a.IGSteps] += g
					if s.Change[i] == 0 {
						t.Errorf("%+v: sentence %d does not change anything", c.a, i)
					}
				}
			}
			t.Logf("%+v: gaps %v", c.a, gap)
			if gap[16] > gap[2]/2 || gap[256] > max(gap[16]/2, closed) {
				t.Errorf("%+v: the gap does not close: %v", c.a, gap)
			}
			if c.a.IGRule == policy.GaussLegendre && gap[256] > closed {
				t.Errorf("%+v: the gap at 256 steps is %v", c.a, gap[256])
			}
			return nil
		})
	}
}

// TestSamplingDropsOutOnThePath: every point of the path has a dropout of its own, as in the
// authors' code, so that the gap stays open.
func TestSamplingDropsOutOnThePath(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		for sampling, closed := range map[bool]bool{false: true, true: false} {
			s, err := Attribution{
				Scoring: policy.Scoring{IGTimesInput: true, IGSteps: 64, Sampling: sampling},
				Method:  policy.IntegratedGradients,
			}.Scores(t.Context(), m, some(), diverse, nil)
			if err != nil {
				return err
			}
			if slices.Max(s.Gap) < changeOff != closed {
				t.Errorf("sampling %t: gaps %v", sampling, s.Gap)
			}
		}
		return nil
	})
}

// TestGaussLegendreIsExact: n points integrate every power up to 2n-1, and none is used twice.
func TestGaussLegendreIsExact(t *testing.T) {
	for n := 1; n <= 300; n++ {
		powers := make([]float64, min(2*n, 40)) // sum of weight * at^degree
		last := 0.0
		for k := range n {
			at, weight := gaussLegendre(n, k)
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

func TestNodes(t *testing.T) {
	third := float32(1 / math.Sqrt(3)) // the roots of P_2 are +-1/sqrt 3
	for _, c := range []struct {
		rule policy.IGRule
		want []float32
	}{
		{"left", []float32{0, .5}},
		{"midpoint", []float32{.25, .75}},
		{"gauss_legendre", []float32{(1 - third) / 2, (1 + third) / 2}},
	} {
		at, weights := nodes(c.rule, 2)
		for k := range at {
			if math.Abs(float64(at[k]-c.want[k])) > 1e-7 || math.Abs(float64(weights[k])-.5) > 1e-7 {
				t.Errorf("%s: points %v, weights %v", c.rule, at, weights)
			}
		}
	}
}
