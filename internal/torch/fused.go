package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// The operations here have their gradients written out in package kernels. Under Autocast their
// products, and what Linear, LinearRelu and Attention return, are bfloat16; sums, norms, softmax
// and losses are float32 always.

// Linear returns x w^T + b for x [..., in], w [out, in], b [out] or nil.
func (t *Tensor) Linear(w, b *Tensor) *Tensor { return t.linear(w, b, false, 0) }

// LinearRelu returns dropout(max(0, x w^T + b)), shapes as in Linear; pass p 0 outside training.
func (t *Tensor) LinearRelu(w, b *Tensor, p float64) *Tensor { return t.linear(w, b, true, p) }

func (t *Tensor) linear(w, b *Tensor, relu bool, p float64) *Tensor {
	const op = "linear"
	y, err := kernels.Linear(t.raw(op), w.raw(op), b.raw(op), relu, p)
	return made(op, y, err, t, w, b)
}

// SelfAttention returns softmax(q k^T / sqrt(d/heads)) v of every head, no mask [B, T, d] (Vaswani
// et al. 2017, eq. 1), for queries, keys and values side by side in qkv [B, T, 3d]; causal hides
// later positions, p drops attention weights: pass 0 outside training.
func SelfAttention(qkv *Tensor, heads int64, causal bool, p float64) *Tensor {
	return attention(qkv, nil, heads, causal, p)
}

// CrossAttention is the same for queries q [B, T, d] to the keys and values side by side in kv [B,
// S, 2d].
func CrossAttention(q, kv *Tensor, heads int64, p float64) *Tensor {
	return attention(q, kv, heads, false, p)
}

func attention(q, kv *Tensor, heads int64, causal bool, p float64) *Tensor {
	const op = "attention"
	y, err := kernels.Attention(q.raw(op), kv.raw(op), heads, causal, p)
	return made(op, y, err, q, kv)
}

// AddNorm returns the layer norm of x + dropout(y) over the last dimension, scaled by w and shifted
// by b (Ba et al. 2016; eps 1e-5); pass p 0 outside training.
func (t *Tensor) AddNorm(y, w, b *Tensor, p float64) *Tensor {
	const op = "add and norm"
	z, err := kernels.AddNorm(t.raw(op), y.raw(op), w.raw(op), b.raw(op), p)
	return made(op, z, err, t, y, w, b)
}

// EmbedPlaced returns dropout(scale * table[ids] + places) [B, T, d] for a table [V, d], Int64 ids
// [B, T] and places [1, T, d], which get no gradient; pass p 0 outside training.
func EmbedPlaced(table, ids, places *Tensor, scale, p float64) *Tensor {
	const op = "embedding"
	x, err := kernels.Embed(table.raw(op), ids.raw(op), places.raw(op), scale, p)
	return made(op, x, err, table, ids, places)
}

// VocabLoss returns the cross-entropy of the logits x w^T + b, -log softmax(logits)[target], for x
// [K, d], w [V, d], b [V] and Int64 targets [K]: its sum, or its mean. On a CPU the logits are made
// and dropped chunk by chunk, never all alive.
func VocabLoss(x, w, b, target *Tensor, r Reduction) *Tensor {
	const op = "vocabulary loss"
	loss, err := kernels.VocabLoss(x.raw(op), w.raw(op), b.raw(op), target.raw(op), r == ReduceMean)
	return made(op, loss, err, x, w, b, target)
}

// Dropout zeroes elements with probability p and scales the rest by 1/(1-p), in training only.
func (t *Tensor) Dropout(p float64, train bool) *Tensor {
	if !train || p == 0 {
		return t
	}
	y, err := kernels.Dropout(t.raw("dropout"), p)
	return made("dropout", y, err, t)
}
