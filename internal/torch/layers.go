package torch

// #include "shim.h"
import "C"

import (
	"math"

	lib "github.com/sugarme/gotch/libtch"
)

// The operations here are put together from others, whose results are freed as soon as gradients
// let go of them. Under Autocast products are bfloat16; sums, norms and softmax are float32 always.

// LinearRelu returns dropout(max(0, x w^T + b)), shapes as in Linear; pass p 0 outside training.
func (t *Tensor) LinearRelu(w, b *Tensor, p float64) *Tensor {
	return composed(func() *Tensor { return t.Linear(w, b).relu().Dropout(p, true) })
}

// AddNorm returns the layer norm of x + dropout(y) over the last dimension, scaled by w and shifted
// by b (Ba et al. 2016; eps 1e-5); pass p 0 outside training.
func (t *Tensor) AddNorm(y, w, b *Tensor, p float64) *Tensor {
	const op = "layer norm"
	return composed(func() *Tensor {
		sum := t.Add(y.Dropout(p, true))
		var out handle
		lib.AtgLayerNorm(&out, sum.ptr(op), w.Shape(), 1, w.ptr(op), b.ptr(op), 1e-5, 0)
		check(op, sum, w, b)
		return adopt(out)
	})
}

// EmbedPlaced returns dropout(scale * table[ids] + places) [B, T, d] for a table [V, d], Int64 ids
// [B, T] and places [1, T, d], which get no gradient; pass p 0 outside training.
func EmbedPlaced(table, ids, places *Tensor, scale, p float64) *Tensor {
	return composed(func() *Tensor { return Embed(table, ids).Scale(scale).Add(places).Dropout(p, true) })
}

// SelfAttention returns softmax(q k^T / sqrt(d/heads)) v of every head, no mask [B, T, d] (Vaswani
// et al. 2017, eq. 1), for queries, keys and values side by side in qkv [B, T, 3d]; causal hides
// later positions, p drops attention weights: pass 0 outside training.
func SelfAttention(qkv *Tensor, heads int64, causal bool, p float64) *Tensor {
	if OnCUDA() {
		return scaledDotProduct(nil, qkv, heads, causal, p)
	}
	return composed(func() *Tensor {
		d := qkv.Size(2) / 3
		return writtenOut(qkv.Narrow(2, 0, d), qkv.Narrow(2, d, d), qkv.Narrow(2, 2*d, d), heads, causal, p)
	})
}

// CrossAttention is the same for queries q [B, T, d] to the keys and values side by side in kv [B,
// S, 2d].
func CrossAttention(q, kv *Tensor, heads int64, p float64) *Tensor {
	if OnCUDA() {
		return scaledDotProduct(q, kv, heads, false, p)
	}
	return composed(func() *Tensor {
		d := q.Size(2)
		return writtenOut(q, kv.Narrow(2, 0, d), kv.Narrow(2, d, d), heads, false, p)
	})
}

// writtenOut is attention of queries [B, T, d] to keys and values [B, S, d] in single operations,
// so that what is dropped comes from Dropout.
func writtenOut(q, k, v *Tensor, heads int64, causal bool, p float64) *Tensor {
	b, t, d := q.Size(0), q.Size(1), q.Size(2)
	split := func(x *Tensor) *Tensor { return x.Reshape(b, -1, heads, d/heads).Transpose(1, 2) }
	q, k, v = split(q), split(k), split(v)
	scores := q.MatMul(k.Transpose(2, 3)).To(Float).Scale(1 / math.Sqrt(float64(q.Size(3))))
	if causal {
		scores = scores.Add(later(t))
	}
	found := scores.Softmax(3).Dropout(p, true).To(v.DType()).MatMul(v)
	return found.Transpose(1, 2).Reshape(b, t, d)
}

// scaledDotProduct is the same by libtorch's one operation, which on a GPU never has the scores of
// all positions at once: of queries to the keys and values in kv or, without q, of what kv has
// [B, T, 3d].
func scaledDotProduct(q, kv *Tensor, heads int64, causal bool, p float64) *Tensor {
	const op = "attention"
	var out, from handle
	if q != nil {
		from = q.ptr(op)
	}
	must(op, C.shim_attention(hp(&out), C.handle(from), C.handle(kv.ptr(op)), C.int64_t(heads), C.double(p),
		C.int(flag(causal))), kv)
	return adopt(out)
}

// later returns [t, t], minus infinity where a column is later than its row and 0 elsewhere.
func later(t int64) *Tensor {
	hide := make([]float32, t*t)
	for i := range t {
		for j := i + 1; j < t; j++ {
			hide[i*t+j] = float32(math.Inf(-1))
		}
	}
	return FromFloats(hide, t, t)
}

// composed calls fn in a scope of its own and returns what it returns, owned by the scope around.
func composed(fn func() *Tensor) (t *Tensor) {
	if err := Scoped(func() error { t = fn().Keep(); return nil }); err != nil {
		panic(err)
	}
	return t
}
