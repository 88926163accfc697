package torch

// #include "shim.h"
import "C"

import (
	lib "github.com/sugarme/gotch/libtch"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// The following operations run on our own kernels. Under Autocast, they compute products in
// bfloat16, and Linear returns bfloat16. Losses are always float32.

// Linear returns x w^T + b for x [..., in], w [out, in], b [out] or nil.
func (t *Tensor) Linear(w, b *Tensor) *Tensor {
	const op = "linear"
	y, err := kernels.Linear(t.raw(op), w.raw(op), b.raw(op))
	return result(op, y, err, t, w, b)
}

// VocabLoss returns the cross-entropy -log softmax(logits)[target] of the logits x w^T + b, as a
// sum or a mean. x is [K, d], w [V, d] and b [V]. The targets are Int64 [K]. On a CPU, the logits
// are computed in chunks and each chunk is freed after use, so that memory never holds all logits.
func VocabLoss(x, w, b, target *Tensor, r Reduction) *Tensor {
	const op = "vocabulary loss"
	target.mustIndex(w.Size(0), op)
	loss, err := kernels.VocabLoss(x.raw(op), w.raw(op), b.raw(op), target.raw(op), r == ReduceMean)
	return result(op, loss, err, x, w, b, target)
}

// Dropout zeroes elements with probability p and scales the others by 1/(1-p). Outside training it
// returns t.
func (t *Tensor) Dropout(p float64, train bool) *Tensor {
	if !train || p == 0 {
		return t
	}
	y, err := kernels.Dropout(t.raw("dropout"), p)
	return result("dropout", y, err, t)
}

// The following operations are composed of others. They free intermediate results that gradients do
// not need. Under Autocast, products are bfloat16. Sums, norms and softmax are always float32.

// LinearRelu returns dropout(max(0, x w^T + b)), with shapes as in Linear. p must be 0 outside
// training.
func (t *Tensor) LinearRelu(w, b *Tensor, p float64) *Tensor {
	return composed(func() *Tensor { return t.Linear(w, b).relu().Dropout(p, true) })
}

// LinearGELU returns GELU(x w^T + b), with shapes as in Linear.
func (t *Tensor) LinearGELU(w, b *Tensor) *Tensor {
	return composed(func() *Tensor { return t.Linear(w, b).GELU() })
}

// GELU returns x Phi(x) for each element x (Hendrycks and Gimpel 2016).
func (t *Tensor) GELU() *Tensor {
	var out handle
	must("gelu", C.shim_gelu(hp(&out), C.handle(t.ptr("gelu"))), t)
	return adopt(out)
}

// AddNorm returns the layer norm of x + dropout(y) over the last dimension, scaled by w and shifted
// by b. eps is added to the variance (Ba et al. 2016). p must be 0 outside training.
func (t *Tensor) AddNorm(y, w, b *Tensor, p, eps float64) *Tensor {
	return composed(func() *Tensor { return t.Add(y.Dropout(p, true)).LayerNorm(w, b, eps) })
}

// LayerNorm does the same as AddNorm, without y and dropout.
func (t *Tensor) LayerNorm(w, b *Tensor, eps float64) *Tensor {
	const op = "layer norm"
	var out handle
	lib.AtgLayerNorm(&out, t.ptr(op), w.Shape(), 1, w.ptr(op), b.ptr(op), eps, 0)
	check(op, t, w, b)
	return adopt(out)
}

// composed calls fn and frees all tensors that fn creates, except the result.
func composed(fn func() *Tensor) (t *Tensor) {
	if err := Scoped(func() error { t = fn().Keep(); return nil }); err != nil {
		panic(err)
	}
	return t
}

// MeanCosine returns the cosines [B, T] between each vector of x [B, T, n] and the mean vector over
// T. The cosines cannot be differentiated twice.
func MeanCosine(x *Tensor) *Tensor {
	cosines, err := kernels.MeanCosine(x.raw("mean cosine"))
	return result("mean cosine", cosines, err, x)
}
