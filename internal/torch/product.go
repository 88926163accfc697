package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// Product returns x w^T for x [M, K] and w [N, K] and nothing else: what the libraries of this CPU
// reach, for the benchmark. oneDNN takes the library of that name where it makes such products,
// otherwise libtorch chooses, in float32 on a CPU MKL. It has no gradient.
func Product(x, w *Tensor, oneDNN bool) *Tensor {
	y, err := kernels.Product(x.raw("product"), w.raw("product"), oneDNN)
	return made("product", y, err, x, w)
}
