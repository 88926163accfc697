package torch

import (
	"slices"
	"testing"
)

func TestNoGradNests(t *testing.T) {
	onTorch(t, func() error {
		p := Param(Ones(2))
		defer p.Free()
		recorded := func() bool {
			return Scoped(func() error { p.Scale(3).Sum().Backward(); return nil }) == nil
		}
		off := NoGrad(func() error {
			if recorded() {
				t.Error("NoGrad records")
			}
			_ = NoGrad(func() error { return nil })
			if recorded() {
				t.Error("the end of an inner NoGrad turns recording on")
			}
			wantOpError(t, NoGrad(func() error { Ones(2).Add(Ones(3)); return nil }), "add", "")
			if recorded() {
				t.Error("a failure in an inner NoGrad turns recording on")
			}
			return nil
		})
		if !recorded() {
			t.Error("recording stays off after NoGrad")
		}
		return off
	})
}

func TestGradients(t *testing.T) {
	onTorch(t, func() error {
		p, q := Param(FromFloats([]float32{1, 2}, 2)), Param(Ones(2))
		defer p.Free()
		defer q.Free()
		if p.Grad() != nil {
			t.Error("a gradient before Backward")
		}
		p.Mul(p).Sum().Backward()
		p.Sum().Backward() // adds to the gradient of the previous line
		if got := p.Grad().Floats(); !slices.Equal(got, []float32{3, 5}) {
			t.Errorf("d(p^2 + p) = %v, want [3 5]", got)
		}
		if q.Grad() != nil {
			t.Error("a parameter that was not used has a gradient")
		}
		ZeroGrad([]*Tensor{p, q})
		if p.Grad() != nil {
			t.Error("ZeroGrad left one")
		}
		x := p.Scale(2).Leaf() // detached from p
		// The gradients of x^2 q are 2xq for x and x^2 for q. There is none for p.
		for i, want := range [][]float32{{4, 8}, {4, 16}, {0, 0}} {
			if got := Gradient(x.Mul(x).Mul(q).Sum(), []*Tensor{x, q, p}[i]).Floats(); !slices.Equal(got, want) {
				t.Errorf("gradient %d is %v, want %v", i, got, want)
			}
		}
		if q.Grad() != nil || p.Grad() != nil {
			t.Error("Gradient touched the parameters' own gradients")
		}
		p.Set(FromFloats([]float32{5, 6}, 2)) // in place, not recorded in the graph
		p.Sum().Backward()
		return nil
	})
}

// TestAutocast checks that products are in bfloat16 inside Autocast and in float32 afterwards, even
// after an operation failed. A nested call must not turn autocast off.
func TestAutocast(t *testing.T) {
	onTorch(t, func() error {
		product := func() DType { return Ones(2, 3).MatMul(Ones(3, 2)).DType() }
		Autocast(false, func() {
			if product() != Float {
				t.Error("Autocast(false) casts")
			}
		})
		Autocast(true, func() {
			if product() != BFloat16 {
				t.Error("Autocast(true) does not cast")
			}
			if Ones(2, 3).Softmax(1).DType() != Float {
				t.Error("softmax of float32 is not float32 under autocast")
			}
			Autocast(true, func() {})
			if product() != BFloat16 {
				t.Error("the end of a nested Autocast turns it off")
			}
		})
		if product() != Float {
			t.Error("autocast stays on")
		}
		wantOpError(t, Scoped(func() error {
			Autocast(true, func() { Ones(2).Add(Ones(3)) })
			return nil
		}), "add", "")
		if product() != Float {
			t.Error("autocast stays on after a failure")
		}
		return nil
	})
}

// TestAttentionIsCausal checks that with the causal mask, position 0 attends only to itself, and
// that a later word does not change earlier positions.
func TestAttentionIsCausal(t *testing.T) {
	onTorch(t, func() error {
		Seed(3)
		qkv := randn(1, 4, 18)
		y := SelfAttention(qkv, 2, true, 0)
		for i, got := range y.entry(1, 0).Floats() {
			if want := qkv.Narrow(2, 12, 6).entry(1, 0).Floats()[i]; !near(float64(got), float64(want), 1e-6) {
				t.Errorf("position 0: element %d is %v, want its own value %v", i, got, want)
			}
		}
		changed := Cat(1, qkv.Narrow(1, 0, 3), randn(1, 1, 18))
		if !sameBits(y.Narrow(1, 0, 3).Floats(), SelfAttention(changed, 2, true, 0).Narrow(1, 0, 3).Floats()) {
			t.Error("the last value changes an earlier position")
		}
		if sameBits(y.Floats(), SelfAttention(qkv, 2, false, 0).Floats()) {
			t.Error("no difference without the mask")
		}
		return nil
	})
}
