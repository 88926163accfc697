package torch

// #include "cuda.h"
import "C"

import "math"

// AdamStepLazy is AdamStep that waits for nothing: the gradients' joint norm before clipping comes
// back as a scalar tensor on the parameters' device. Where it is not finite nothing was changed.
// Who reads it only now and then adds the norms up: the sum is finite as long as each was. It is
// libtorch's fused kernel, which on the CPU only libtorch 2.4 and newer have.
func AdamStepLazy(
	params, m, v []*Tensor, lr, beta1, beta2, eps float64, step int, maxNorm, scale float64,
) (norm *Tensor) {
	var out handle
	must("adam", C.shim_adam_fused(
		hp(&out), first(handles("adam", params)), first(handles("adam", m)), first(handles("adam", v)),
		C.int(len(params)), C.double(lr), C.double(beta1), C.double(beta2), C.double(eps), C.int64_t(step),
		C.double(maxNorm), C.double(scale),
	))
	return adopt(out)
}

// adamStepCUDA is AdamStep by the fused kernel; it waits for the norm.
func adamStepCUDA(
	params, m, v []*Tensor, lr, beta1, beta2, eps float64, step int, maxNorm, scale float64,
) (norm float64, bad int) {
	t := AdamStepLazy(params, m, v, lr, beta1, beta2, eps, step, maxNorm, scale)
	defer t.Free()
	if norm = t.Item(); math.IsNaN(norm) || math.IsInf(norm, 0) {
		return norm, max(firstBadGrad(params), 0)
	}
	return norm, -1
}

// firstBadGrad returns the index of the first parameter whose gradient has a norm that is not
// finite, or -1. It waits for the device.
func firstBadGrad(params []*Tensor) int {
	var bad C.int64_t
	must("first bad gradient", C.shim_first_bad(first(handles("first bad gradient", params)), C.int(len(params)), &bad))
	return int(bad)
}
