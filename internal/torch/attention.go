package torch

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"

	lib "github.com/sugarme/gotch/libtch"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// SelfAttention returns softmax(q k^T / sqrt(d/heads)) v of every head, [B, T, d] (Vaswani et al.
// 2017, eq. 1), for queries, keys and values side by side in qkv [B, T, 3d]. There is no padding
// mask. If causal is set, later positions are hidden. Weights are dropped with probability p, which
// must be 0 outside training.
func SelfAttention(qkv *Tensor, heads int64, causal bool, p float64) *Tensor {
	if OnCUDA() {
		return fusedAttention(nil, qkv, heads, causal, p)
	}
	return composed(func() *Tensor {
		d := qkv.Size(2) / 3
		return unfusedAttention(qkv.Narrow(2, 0, d), qkv.Narrow(2, d, d), qkv.Narrow(2, 2*d, d), heads, causal, p)
	})
}

// CrossAttention is SelfAttention from queries q [B, T, d] to the keys and values side by side in
// kv [B, S, 2d].
func CrossAttention(q, kv *Tensor, heads int64, p float64) *Tensor {
	if OnCUDA() {
		return fusedAttention(q, kv, heads, false, p)
	}
	return composed(func() *Tensor {
		d := q.Size(2)
		return unfusedAttention(q, kv.Narrow(2, 0, d), kv.Narrow(2, d, d), heads, false, p)
	})
}

// unfusedAttention attends from queries [B, T, d] to keys and values [B, S, d] in single
// operations, so that weights are dropped by Dropout.
func unfusedAttention(q, k, v *Tensor, heads int64, causal bool, p float64) *Tensor {
	b, t, d := q.Size(0), q.Size(1), q.Size(2)
	split := func(x *Tensor) *Tensor { return x.Reshape(b, -1, heads, d/heads).Transpose(1, 2) }
	q, k, v = split(q), split(k), split(v)
	scores := q.MatMul(k.Transpose(2, 3)).To(Float).Scale(1 / math.Sqrt(float64(q.Size(3))))
	if causal {
		scores = scores.Add(causalMask(t))
	}
	output := scores.Softmax(3).Dropout(p, true).To(v.DType()).MatMul(v)
	return output.Transpose(1, 2).Reshape(b, t, d)
}

// fusedAttention is unfusedAttention in one operation of libtorch, which on a GPU never holds the
// scores of all positions at once. It attends from q to the keys and values in kv. If q is nil, kv
// [B, T, 3d] also has the queries.
func fusedAttention(q, kv *Tensor, heads int64, causal bool, p float64) *Tensor {
	const op = "attention"
	var out, query handle
	if q != nil {
		query = q.ptr(op)
	}
	must(op, C.shim_attention(hp(&out), C.handle(query), C.handle(kv.ptr(op)), C.int64_t(heads), C.double(p),
		C.int(flag(causal))), kv)
	return adopt(out)
}

// causalMask returns a matrix [t, t] that is minus infinity where the column is greater than the
// row, and 0 elsewhere.
func causalMask(t int64) *Tensor {
	mask := make([]float32, t*t)
	for i := range t {
		for j := i + 1; j < t; j++ {
			mask[i*t+j] = float32(math.Inf(-1))
		}
	}
	return FromFloats(mask, t, t)
}

// Spans has the rows of a cache that each of N positions attends to. Position i attends to the rows
// Slots[Start[i]:Start[i]+Length[i]] or, if Slots is nil, to the Length[i] rows from Start[i] on.
// Spans may overlap, so that hypotheses share common positions.
type Spans struct{ Slots, Start, Length []int32 }

// Attend returns softmax(q k^T / sqrt(d/heads)) v for every row of q [N, d], head by head: [N, d].
// The keys and values of a row are its rows of kv [S, 2d], which hold keys and then values.
//
// If half is set, scores and weights are rounded to bfloat16, as in SelfAttention under Autocast.
func Attend(q, kv *Tensor, heads int64, s Spans, half bool) *Tensor {
	if len(s.Start) != len(s.Length) {
		fail("attend", fmt.Sprintf("%d starts and %d lengths", len(s.Start), len(s.Length)), q, kv)
	}
	y, err := kernels.Attend(q.raw("attend"), kv.raw("attend"), heads, s.Slots, s.Start, s.Length, half)
	return result("attend", y, err, q, kv)
}

// EmptyRows returns a Float matrix [rows, columns] on t's device whose elements are not set.
func (t *Tensor) EmptyRows(rows, columns int64) *Tensor {
	return unary("empty", func(o *handle, h handle) {
		lib.AtgNewEmpty(o, h, []int64{rows, columns}, 2, int32(Float), int32(lib.AtDevice(h)))
	}, t)
}
