package torch

// #include "shim.h"
import "C"

// The operations here have their gradients written out (fused.cpp). Under Autocast their products, and what Linear, LinearRelu and
// Attention return, are bfloat16; sums, norms, softmax and losses are float32 always.

// Linear returns x w^T + b for x [..., in], w [out, in], b [out] or nil.
func (t *Tensor) Linear(w, b *Tensor) *Tensor { return t.linear(w, b, 0, 0) }

// LinearRelu returns dropout(max(0, x w^T + b)), shapes as in Linear; pass p 0 outside training.
func (t *Tensor) LinearRelu(w, b *Tensor, p float64) *Tensor { return t.linear(w, b, 1, p) }

func (t *Tensor) linear(w, b *Tensor, relu C.int, p float64) *Tensor {
	var out handle
	var bias C.handle
	if b != nil {
		bias = C.handle(b.ptr("linear"))
	}
	must("linear", C.shim_linear(hp(&out), C.handle(t.ptr("linear")), C.handle(w.ptr("linear")), bias, relu, C.double(p)), t, w, b)
	return adopt(out)
}

// SelfAttention returns softmax(q k^T / sqrt(d/heads)) v of every head, no mask [B, T, d] (Vaswani et al. 2017, eq. 1), for queries, keys
// and values side by side in qkv [B, T, 3d]; causal hides later positions, p drops attention weights: pass 0 outside training.
func SelfAttention(qkv *Tensor, heads int64, causal bool, p float64) *Tensor {
	return attention(qkv, nil, heads, causal, p)
}

// CrossAttention is the same for queries q [B, T, d] to the keys and values side by side in kv [B, S, 2d].
func CrossAttention(q, kv *Tensor, heads int64, p float64) *Tensor {
	return attention(q, kv, heads, false, p)
}

func attention(q, kv *Tensor, heads int64, causal bool, p float64) *Tensor {
	var out handle
	var other C.handle
	if kv != nil {
		other = C.handle(kv.ptr("attention"))
	}
	must("attention", C.shim_attention(hp(&out), C.handle(q.ptr("attention")), other, C.int64_t(heads), C.int(flag(causal)), C.double(p)), q, kv)
	return adopt(out)
}

// AddNorm returns the layer norm of x + dropout(y) over the last dimension, scaled by w and shifted by b (Ba et al. 2016; eps 1e-5);
// pass p 0 outside training.
func (t *Tensor) AddNorm(y, w, b *Tensor, p float64) *Tensor {
	var out handle
	must("add and norm", C.shim_add_norm(hp(&out), C.handle(t.ptr("add and norm")), C.handle(y.ptr("add and norm")),
		C.handle(w.ptr("add and norm")), C.handle(b.ptr("add and norm")), C.double(p)), t, y, w, b)
	return adopt(out)
}

// EmbedPlaced returns dropout(scale * table[ids] + places) [B, T, d] for a table [V, d], Int64 ids [B, T] and places [1, T, d], which get
// no gradient; pass p 0 outside training.
func EmbedPlaced(table, ids, places *Tensor, scale, p float64) *Tensor {
	var out handle
	must("embedding", C.shim_embed(hp(&out), C.handle(table.ptr("embedding")), C.handle(ids.ptr("embedding")),
		C.handle(places.ptr("embedding")), C.double(scale), C.double(p)), table, ids, places)
	return adopt(out)
}

// VocabLoss returns the cross-entropy of the logits x w^T + b, -log softmax(logits)[target], for x [K, d], w [V, d], b [V] and Int64 targets
// [K]: its sum, or its mean. On a CPU the logits are made and dropped chunk by chunk, never all alive.
func VocabLoss(x, w, b, target *Tensor, r Reduction) *Tensor {
	var out handle
	must("vocabulary loss", C.shim_vocab_loss(hp(&out), C.handle(x.ptr("vocabulary loss")), C.handle(w.ptr("vocabulary loss")),
		C.handle(b.ptr("vocabulary loss")), C.handle(target.ptr("vocabulary loss")), C.int(flag(r == ReduceMean))), x, w, b, target)
	return adopt(out)
}

// Dropout zeroes elements with probability p and scales the rest by 1/(1-p), in training only.
func (t *Tensor) Dropout(p float64, train bool) *Tensor {
	if !train || p == 0 {
		return t
	}
	var out handle
	must("dropout", C.shim_dropout(hp(&out), C.handle(t.ptr("dropout")), C.double(p)), t)
	return adopt(out)
}
