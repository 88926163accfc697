package torch

// #include "shim.h"
import "C"

// Product returns x w^T for x [M, K] and w [N, K] and nothing else: what the libraries of this CPU reach, for the benchmark. oneDNN takes
// the library of that name where it makes such products, otherwise libtorch chooses, in float32 on a CPU MKL. It has no gradient.
func Product(x, w *Tensor, oneDNN bool) *Tensor {
	var out handle
	must("product", C.shim_product(hp(&out), C.handle(x.ptr("product")), C.handle(w.ptr("product")), C.int(flag(oneDNN))), x, w)
	return adopt(out)
}
