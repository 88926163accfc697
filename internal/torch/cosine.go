package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// MeanCosine returns the cosine of every vector of x [B, T, n] with the mean along dim, 0 or 1: [B,
// T]. There is no second derivative.
func MeanCosine(x *Tensor, dim int64) *Tensor {
	cosines, err := kernels.MeanCosine(x.raw("mean cosine"), dim)
	return made("mean cosine", cosines, err, x)
}
