package torch

// #include "shim.h"
import "C"

import (
	lib "github.com/sugarme/gotch/libtch"
)

// setGrad turns gradient recording on or off and returns whether it was on.
func setGrad(on bool) bool {
	v := 0
	if on {
		v = 1
	}
	// gotch reads eight bytes of a four-byte int, so the upper half is undefined.
	return lib.AtGradSetEnabled(v)&0xffffffff != 0
}

// Param returns an owned tensor that records gradients and shares the memory of t. Do not use t
// afterwards.
func Param(t *Tensor) *Tensor {
	var out handle
	lib.AtgSetRequiresGrad(&out, t.Detach().ptr("param"), 1)
	check("param", t)
	return adopt(out).Own()
}

// Freeze stops recording gradients of a parameter, which then stays as it is.
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

// Grad returns the gradient that Backward left on a parameter, or nil.
func (t *Tensor) Grad() *Tensor {
	var out handle
	must("grad", C.shim_grad_of(hp(&out), C.handle(t.ptr("grad"))), t)
	if out == nil {
		return nil
	}
	return adopt(out)
}

// Grads returns d sum(outputs) / d input for each input, in the input's shape. The gradients that
// Backward left on parameters do not change.
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
