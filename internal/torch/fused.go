package torch

import "github.com/smlm-exp/smlm-exp/internal/kernels"

// The operations here have kernels of our own. Under Autocast their products, and what Linear
// returns, are bfloat16; losses are float32 always.

// Linear returns x w^T + b for x [..., in], w [out, in], b [out] or nil.
func (t *Tensor) Linear(w, b *Tensor) *Tensor {
	const op = "linear"
	y, err := kernels.Linear(t.raw(op), w.raw(op), b.raw(op))
	return made(op, y, err, t, w, b)
}

// VocabLoss returns the cross-entropy of the logits x w^T + b, -log softmax(logits)[target], for x
// [K, d], w [V, d], b [V] and Int64 targets [K]: its sum, or its mean. On a CPU the logits are made
// and dropped chunk by chunk, never all alive.
func VocabLoss(x, w, b, target *Tensor, r Reduction) *Tensor {
	const op = "vocabulary loss"
	target.within(w.Size(0), op)
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
