package torch

// #include "shim.h"
import "C"

import (
	lib "github.com/sugarme/gotch/libtch"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// setGrad turns gradient recording on or off and returns what it was.
func setGrad(on bool) bool {
	v := 0
	if on {
		v = 1
	}
	// gotch reads eight bytes of a four-byte int: the upper half is noise.
	return lib.AtGradSetEnabled(v)&0xffffffff != 0
}

// Param returns an owned tensor that records gradients and shares the memory of t, which nobody
// else should use then.
func Param(t *Tensor) *Tensor {
	var out handle
	lib.AtgSetRequiresGrad(&out, t.Detach().ptr("param"), 1)
	check("param", t)
	return adopt(out).Own()
}

// Freeze ends the recording of gradients of a parameter: it stays as it is from now on.
func (t *Tensor) Freeze() {
	var same handle
	lib.AtgSetRequiresGrad(&same, t.ptr("freeze"), 0)
	check("freeze", t)
	adopt(same).Free()
}

// Leaf returns a view of t that is cut from the graph and records gradients, for attributions.
func (t *Tensor) Leaf() *Tensor {
	d := t.Detach()
	var out handle
	lib.AtgSetRequiresGrad(&out, d.ptr("leaf"), 1)
	check("leaf", t)
	return adopt(out)
}

// Backward adds the gradients of the scalar t to every parameter it depends on.
func (t *Tensor) Backward() {
	lib.AtBackward(t.ptr("backward"), 0, 0)
	check("backward", t)
}

// Grad returns the gradient Backward left on a parameter, or nil where it left none.
func (t *Tensor) Grad() *Tensor {
	var out handle
	must("grad", C.shim_grad_of(hp(&out), C.handle(t.ptr("grad"))), t)
	if out == nil {
		return nil
	}
	return adopt(out)
}

// Grads returns d sum(outputs) / d inputs, each of its input's shape; parameters' own gradients
// stay untouched.
func Grads(outputs, inputs []*Tensor) []*Tensor {
	outs := make([]handle, len(inputs))
	must("grads", C.shim_grad(first(outs), first(handles("grads", outputs)), C.int(len(outputs)),
		first(handles("grads", inputs)), C.int(len(inputs)), 0), inputs...)
	ts := make([]*Tensor, len(outs))
	for i, h := range outs {
		ts[i] = adopt(h)
	}
	return ts
}

// ZeroGrad drops the gradients of params.
func ZeroGrad(params []*Tensor) {
	must("zero grad", C.shim_zero_grad(first(handles("zero grad", params)), C.int(len(params))))
}

// AdamStep is one step of Adam (Kingma and Ba 2015, algorithm 1; torch.optim.Adam) over all params
// that have a gradient; m and v are their moments, step counts from 1. The gradients are scaled
// first, and with maxNorm > 0 their joint 2-norm is clipped. It returns that norm before clipping
// and, where it is not finite, the index of the first parameter at fault (nothing is changed then),
// else -1. On CUDA it waits for the norm: AdamStepLazy does not.
func AdamStep(
	params, m, v []*Tensor, lr, beta1, beta2, eps float64, step int, maxNorm, scale float64,
) (norm float64, bad int) {
	if OnCUDA() {
		return adamStepCUDA(params, m, v, lr, beta1, beta2, eps, step, maxNorm, scale)
	}
	a := kernels.Adam{
		LR: lr, Beta1: beta1, Beta2: beta2, Eps: eps, Bias1: 1 - pow(beta1, step), Bias2: 1 - pow(beta2, step),
		MaxNorm: maxNorm, Scale: scale,
	}
	norm, bad, err := a.Step(raws("adam", params), raws("adam", m), raws("adam", v))
	worked("adam", err)
	return norm, bad
}

func pow(b float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p *= b
		}
		b *= b
	}
	return p
}
