package torch

// #include "cosine.h"
import "C"

// MeanCosine returns the cosine of every vector of x [B, T, n] with the mean along dim, 0 or 1: [B, T]. There is no second
// derivative.
func MeanCosine(x *Tensor, dim int64) *Tensor {
	var out handle
	must("mean cosine", C.shim_mean_cosine(hp(&out), C.handle(x.ptr("mean cosine")), C.int64_t(dim)), x)
	return adopt(out)
}
