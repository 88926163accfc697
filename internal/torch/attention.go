package torch

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"

	lib "github.com/sugarme/gotch/libtch"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// SelfAttention returns softmax(q k^T / sqrt(d/heads)) v for every head: [B, T, d] (Vaswani et al.
// 2017, eq. 1). qkv [B, T, 3d] has queries, keys and values side by side. There is no padding mask.
// If causal is set, a position does not attend to later positions. Attention weights are dropped
// with probability p, which must be 0 outside training.
func SelfAttention(qkv *Tensor, heads int64, causal bool, p float64) *Tensor {
	if OnCUDA() {
		return fusedAttention(nil, qkv, heads, causal, p)
	}
	return composed(func() *Tensor {
		d := qkv.Size(2) / 3
		return unfusedAttention(qkv.Narrow(2, 0, d), qkv.Narrow(2, d, d), qkv.Narrow(2, 2*d, d), heads, causal, p)
	})
}

// CrossAttention does the same as SelfAttention, without the causal option, for queries from
// another sequence. q [B, T, d] has the queries. kv [B, S, 2d] has keys and values side by side.
func CrossAttention(q, kv *Tensor, heads int64, p float64) *Tensor {
	if OnCUDA() {
		return fusedAttention(q, kv, heads, false, p)
	}
	return composed(func() *Tensor {
		d := q.Size(2)
		return unfusedAttention(q, kv.Narrow(2, 0, d), kv.Narrow(2, d, d), heads, false, p)
	})
}

// unfusedAttention attends from queries [B, T, d] to keys and values [B, S, d]. It consists of
// several tensor operations, so that our own Dropout can drop attention weights.
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

// fusedAttention does the same as unfusedAttention in one operation of libtorch. On a GPU, this
// operation never holds the scores of all positions at once. kv [B, S, 2d] has keys and values. If
// q is nil, kv [B, T, 3d] has queries, keys and values.
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

// causalMask returns a matrix [t, t]. It is minus infinity where the column index is greater than
// the row index, and 0 elsewhere.
func causalMask(t int64) *Tensor {
	mask := make([]float32, t*t)
	for i := range t {
		for j := i + 1; j < t; j++ {
			mask[i*t+j] = float32(math.Inf(-1))
		}
	}
	return FromFloats(mask, t, t)
}

// Spans says which rows of a cache each of N positions attends to. Position i attends to the rows
// Slots[Start[i]:Start[i]+Length[i]]. If Slots is nil, it attends to the Length[i] rows from row
// Start[i] on. Spans may overlap, so that hypotheses can share the positions of a common prefix.
type Spans struct{ Slots, Start, Length []int32 }

// Attend returns softmax(q k^T / sqrt(d/heads)) v for every row of q [N, d] and every head: [N, d].
// Row i of q attends to the rows of kv [S, 2d] that s lists for position i. Each row of kv has the
// key first and then the value.
//
// If half is set, scores and weights are rounded to bfloat16, as in SelfAttention under Autocast.
func Attend(q, kv *Tensor, heads int64, s Spans, half bool) *Tensor {
	if len(s.Start) != len(s.Length) {
		fail("attend", fmt.Sprintf("%d starts and %d lengths", len(s.Start), len(s.Length)), q, kv)
	}
	y, err := kernels.Attend(q.raw("attend"), kv.raw("attend"), heads, s.Slots, s.Start, s.Length, half)
	return result("attend", y, err, q, kv)
}

// EmptyRows returns a Float matrix [rows, columns] on t's device. Its elements have undefined
// values.
func (t *Tensor) EmptyRows(rows, columns int64) *Tensor {
	return unary("empty", func(o *handle, h handle) {
		lib.AtgNewEmpty(o, h, []int64{rows, columns}, 2, int32(Float), int32(lib.AtDevice(h)))
	}, t)
}
