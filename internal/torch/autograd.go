package torch

// #include "shim.h"
import "C"

import (
	lib "github.com/sugarme/gotch/libtch"
)

// setGrad turns the recording of gradients on or off and returns whether it was on.
func setGrad(on bool) bool {
	v := 0
	if on {
		v = 1
	}
	// gotch reads eight bytes of a four-byte int, so the upper half is undefined.
	return lib.AtGradSetEnabled(v)&0xffffffff != 0
}

// Param returns a tensor that records gradients, shares t's memory, and lives until Free is called.
// Do not use t afterwards.
func Param(t *Tensor) *Tensor {
	var out handle
	lib.AtgSetRequiresGrad(&out, t.Detach().ptr("param"), 1)
	check("param", t)
	return adopt(out).Own()
}

// Leaf returns a view of t that is detached from the graph and records gradients. Methods that
// score input words compute gradients with respect to such a view.
func (t *Tensor) Leaf() *Tensor {
	d := t.Detach()
	var out handle
	lib.AtgSetRequiresGrad(&out, d.ptr("leaf"), 1)
	check("leaf", t)
	return adopt(out)
}

// Backward adds the gradients of the scalar t to all parameters on which t depends.
func (t *Tensor) Backward() {
	lib.AtBackward(t.ptr("backward"), 0, 0)
	check("backward", t)
}

// Grad returns the gradient that Backward stored on a parameter, or nil.
func (t *Tensor) Grad() *Tensor {
	var out handle
	must("grad", C.shim_grad_of(hp(&out), C.handle(t.ptr("grad"))), t)
	if out == nil {
		return nil
	}
	return adopt(out)
}

// Gradient returns d sum(output) / d input, in the shape of the input. It does not change gradients
// that Backward stored on parameters.
func Gradient(output, input *Tensor) *Tensor {
	const op = "gradient"
	var out handle
	must(op, C.shim_gradient(hp(&out), C.handle(output.ptr(op)), C.handle(input.ptr(op))), output, input)
	return adopt(out)
}

// ZeroGrad removes the gradients of params.
func ZeroGrad(params []*Tensor) {
	must("zero grad", C.shim_zero_grad(first(handles("zero grad", params)), C.int(len(params))))
}
