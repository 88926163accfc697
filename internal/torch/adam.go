package torch

// #include "cuda.h"
import "C"

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// AdamStep does one step of Adam (Kingma and Ba 2015, algorithm 1; torch.optim.Adam) for all params
// that have a gradient. m and v are the moments of params. step is the number of the step, counted
// from 1. If maxNorm > 0, the joint 2-norm of the gradients is clipped to maxNorm. norm is the
// joint norm before clipping. If norm is not finite, nothing changes, and bad is the index of the
// first parameter whose gradient is not finite. Otherwise bad is -1. All tensors are on the CPU.
func AdamStep(
	params, m, v []*Tensor, lr, beta1, beta2, eps float64, step int, maxNorm float64,
) (norm float64, bad int) {
	a := kernels.Adam{
		LR: lr, Beta1: beta1, Beta2: beta2, Eps: eps, Bias1: 1 - pow(beta1, step), Bias2: 1 - pow(beta2, step),
		MaxNorm: maxNorm,
	}
	norm, bad, err := a.Step(raws("adam", params), raws("adam", m), raws("adam", v))
	mustKernel("adam", err)
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

// AdamStepLazy does the same as AdamStep, but does not wait for the norm. It returns the joint norm
// of the gradients before clipping, as a scalar tensor on the device of the parameters. If the norm
// is not finite, nothing changes. To check the norms of many steps at once, read their sum, which
// is finite only if every norm is finite. AdamStepLazy uses libtorch's fused kernel, which on the
// CPU needs libtorch 2.4 or newer.
func AdamStepLazy(
	params, m, v []*Tensor, lr, beta1, beta2, eps float64, step int, maxNorm float64,
) (norm *Tensor) {
	var out handle
	must("adam", C.shim_adam_fused(
		hp(&out), first(handles("adam", params)), first(handles("adam", m)), first(handles("adam", v)),
		C.int(len(params)), C.double(lr), C.double(beta1), C.double(beta2), C.double(eps), C.int64_t(step),
		C.double(maxNorm),
	))
	return adopt(out)
}
