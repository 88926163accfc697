package torch

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// reference is Adam in float64 (Kingma and Ba 2015, algorithm 1), with gradient clipping as in
// torch.nn.utils.clip_grad_norm_.
type reference struct{ p, m, v [][]float64 }

func (r *reference) step(
	grads [][]float64, lr, b1, b2, eps float64, t int, maxNorm float64,
) (norm float64) {
	for _, g := range grads {
		for _, x := range g {
			norm += x * x
		}
	}
	norm = math.Sqrt(norm)
	scale := 1.
	if maxNorm > 0 {
		scale = min(1, maxNorm/(norm+1e-6))
	}
	for i, g := range grads {
		for k, x := range g {
			x *= scale
			r.m[i][k] = b1*r.m[i][k] + (1-b1)*x
			r.v[i][k] = b2*r.v[i][k] + (1-b2)*x*x
			mHat := r.m[i][k] / (1 - math.Pow(b1, float64(t)))
			vHat := r.v[i][k] / (1 - math.Pow(b2, float64(t)))
			r.p[i][k] -= lr * mHat / (math.Sqrt(vHat) + eps)
		}
	}
	return norm
}

// TestAdamAgainstReference compares AdamStep with Adam in float64 (the type reference), with and
// without clipping. One of the tensors is longer than a chunk of the kernel.
func TestAdamAgainstReference(t *testing.T) {
	againstReferences(t, AdamStep)
}

func againstReferences(t *testing.T, adam adamStep) {
	t.Helper()
	for _, c := range []adamCase{
		{.5, .999, 0},
		{.9, .98, 0},
		{.5, .999, 1e-3},
		{.9, .999, 1e9},
	} {
		t.Run(
			fmt.Sprintf("b1=%v b2=%v clip=%v", c.b1, c.b2, c.maxNorm),
			func(t *testing.T) { againstReference(t, adam, c) },
		)
	}
}

type adamCase struct{ b1, b2, maxNorm float64 }

func againstReference(t *testing.T, adam adamStep, c adamCase) {
	t.Helper()
	sizes := []int{1, 7, 100, 1<<15 + 37}
	onTorch(t, func() error {
		rng := rand.New(rand.NewPCG(1, 2))
		var want reference
		var params, m, v []*Tensor
		for _, n := range sizes {
			x := draw(rng, n, 1)
			params = append(params, Param(FromFloats(x, int64(n))))
			m, v = append(m, Zeros(int64(n))), append(v, Zeros(int64(n)))
			defer params[len(params)-1].Free()
			want.p = append(want.p, wide(x))
			want.m, want.v = append(want.m, make([]float64, n)), append(want.v, make([]float64, n))
		}
		for step := 1; step <= 6; step++ {
			var grads [][]float64
			for i, n := range sizes {
				g := draw(rng, n, math.Pow(10, float64(i-2))) // gradients of different magnitudes
				params[i].Mul(FromFloats(g, int64(n))).Sum().Backward()
				grads = append(grads, wide(g))
			}
			norm, bad := adam(params, m, v, .01, c.b1, c.b2, 1e-8, step, c.maxNorm)
			ZeroGrad(params)
			// The kernel sums up to 64 terms in float32 and then adds the sum to a double.
			if wantNorm := want.step(grads, .01, c.b1, c.b2, 1e-8, step, c.maxNorm); bad != -1 ||
				!near(norm, wantNorm, testkit.RoundingBound(64)) {
				t.Errorf("step %d: norm %v, bad %d, want %v, -1", step, norm, bad, wantNorm)
			}
		}
		for i := range sizes {
			compare(t, fmt.Sprintf("p[%d]", i), params[i].Floats(), want.p[i])
			compare(t, fmt.Sprintf("m[%d]", i), m[i].Floats(), want.m[i])
			compare(t, fmt.Sprintf("v[%d]", i), v[i].Floats(), want.v[i])
		}
		return nil
	})
}

// compare fails if got is off by more than the rounding of six steps of at most eight operations
// each.
func compare(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	var largest, off float64
	for i, w := range want {
		largest, off = max(largest, math.Abs(w)), max(off, math.Abs(float64(got[i])-w))
	}
	if !(off <= testkit.RoundingBound(6*8)*largest) {
		t.Errorf("%s is off by %.1e of its largest magnitude", what, off/largest)
	}
}

func draw(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * scale)
	}
	return x
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// TestAdamWithoutGradient checks that a parameter without a gradient keeps its value and its
// moments.
func TestAdamWithoutGradient(t *testing.T) {
	onTorch(t, func() error {
		p, q := Param(Ones(2)), Param(Ones(2))
		defer p.Free()
		defer q.Free()
		m, v := []*Tensor{Ones(2), Ones(2)}, []*Tensor{Ones(2), Ones(2)}
		q.Sum().Backward()
		if norm, bad := AdamStep([]*Tensor{p, q}, m, v, .1, .5, .5, 1e-8, 1, 0); bad != -1 ||
			!near(norm, math.Sqrt2, 1e-6) {
			t.Errorf("norm %v, bad %d", norm, bad)
		}
		if p.Floats()[0] != 1 || m[0].Floats()[0] != 1 || v[0].Floats()[0] != 1 {
			t.Error("a parameter without a gradient was changed")
		}
		if q.Floats()[0] == 1 {
			t.Error("a parameter with one was not")
		}
		return nil
	})
}

// TestAdamRefusesNonFinite checks that a non-finite gradient changes nothing, and that the first
// parameter with such a gradient is returned.
func TestAdamRefusesNonFinite(t *testing.T) {
	onTorch(t, func() error {
		refuseNonFinite(t, AdamStep, 1)
		return nil
	})
}

type adamStep func(
	params, m, v []*Tensor, lr, beta1, beta2, eps float64, step int, maxNorm float64,
) (norm float64, bad int)

func refuseNonFinite(t *testing.T, adam adamStep, clip float64) {
	t.Helper()
	for _, evil := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		var ps, m, v []*Tensor
		for i := range 4 {
			ps, m, v = append(ps, Param(Ones(100))), append(m, Ones(100)), append(v, Ones(100))
			defer ps[i].Free()
			g := make([]float32, 100)
			if i >= 2 { // gradients 2 and 3 are not finite, so 2 must be returned
				g[70] = float32(evil)
			}
			ps[i].Mul(FromFloats(g, 100)).Sum().Backward()
		}
		norm, bad := adam(ps, m, v, .1, .5, .999, 1e-8, 1, clip)
		if bad != 2 || !math.IsNaN(norm) && !math.IsInf(norm, 0) {
			t.Errorf("%v: norm %v, bad %d, want 2", evil, norm, bad)
		}
		for i := range ps {
			for _, x := range []*Tensor{ps[i], m[i], v[i]} {
				if !sameBits(x.Floats(), Ones(100).Floats()) {
					t.Errorf("%v: parameter %d or a moment of it was changed", evil, i)
				}
			}
		}
	}
}

// lazyAdam is AdamStepLazy with the results of AdamStep.
func lazyAdam(
	params, m, v []*Tensor, lr, beta1, beta2, eps float64, step int, maxNorm float64,
) (norm float64, bad int) {
	norm = AdamStepLazy(params, m, v, lr, beta1, beta2, eps, step, maxNorm).Item()
	return norm, slices.IndexFunc(params, func(p *Tensor) bool { g := p.Grad(); return g != nil && !g.Finite() })
}

// TestAdamFused tests libtorch's fused kernel, which is used on CUDA. On the CPU, where only newer
// versions of libtorch have the fused kernel, it must pass the tests of our own kernel.
func TestAdamFused(t *testing.T) {
	var missing *OpError
	err := Run(func() error {
		p := Param(Ones(2))
		defer p.Free()
		p.Sum().Backward()
		AdamStepLazy([]*Tensor{p}, []*Tensor{Zeros(2)}, []*Tensor{Zeros(2)}, .1, .5, .5, 1e-8, 1, 0)
		return nil
	})
	if errors.As(err, &missing) {
		t.Skipf("libtorch %s has no fused Adam for the CPU", Version())
	}
	againstReferences(t, lazyAdam)
	onTorch(t, func() error {
		refuseNonFinite(t, lazyAdam, 0)
		refuseNonFinite(t, lazyAdam, 1)
		return nil
	})
}
