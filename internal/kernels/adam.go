package kernels

// #include "kernels.h"
import "C"

// Adam is what a step of it needs: the learning rate, the moments' decay, and 1 - Beta^t of each
// after t steps.
type Adam struct {
	LR, Beta1, Beta2, Eps, Bias1, Bias2 float64
	MaxNorm                             float64 // of all gradients together, 0 = any
	Scale                               float64 // of gradients, before anything else
}

// Step changes all params that have a gradient, and their moments m and v. It returns the
// gradients' joint norm before clipping and, where it is not finite, the first parameter at fault
// (nothing is changed then), else -1.
func (a Adam) Step(params, m, v []Handle) (norm float64, bad int, err error) {
	var cnorm C.double
	var cbad C.int64_t
	err = failure(C.kernels_adam(
		first(params), first(m), first(v), C.int(len(params)),
		C.double(a.LR), C.double(a.Beta1), C.double(a.Beta2), C.double(a.Eps),
		C.double(a.Bias1), C.double(a.Bias2), C.double(a.MaxNorm), C.double(a.Scale), &cnorm, &cbad,
	))
	return float64(cnorm), int(cbad), err
}
