package torch

import (
	"fmt"

	lib "github.com/sugarme/gotch/libtch"
)

// optional returns b's handle, or for nil an undefined tensor that done frees.
func optional(op string, b *Tensor) (h handle, done func()) {
	if b != nil {
		return b.ptr(op), func() {}
	}
	h = lib.AtNewTensor()
	return h, func() { lib.AtFree(h) }
}

// Embed returns rows of a table [V, D] for Int64 ids of any shape: [..., D].
func Embed(table, ids *Tensor) *Tensor {
	return binary("embedding", func(o *handle, w, i handle) { lib.AtgEmbedding(o, w, i, -1, 0, 0) }, table, ids)
}

// Softmax normalises along dim.
func (t *Tensor) Softmax(dim int64) *Tensor {
	return unary("softmax", func(o *handle, h handle) { lib.AtgSoftmax(o, h, dim, sameDType) }, t)
}

// LogSoftmax returns the logarithm of Softmax, in float32.
func (t *Tensor) LogSoftmax(dim int64) *Tensor {
	return unary("log softmax", func(o *handle, h handle) { lib.AtgLogSoftmax(o, h, dim, int32(Float)) }, t)
}

// TopK returns the k largest elements along the last dimension, largest first, and their indices: [..., k] each.
func (t *Tensor) TopK(k int64) (values, indices *Tensor) {
	var out [2]handle
	lib.AtgTopk(&out[0], t.ptr("top k"), k, -1, 1, 1)
	check("top k", t)
	return adopt(out[0]), adopt(out[1])
}

// Reduction says how a loss combines its rows.
type Reduction int64

// The reductions, numbered as in libtorch.
const (
	ReduceNone Reduction = 0
	ReduceMean Reduction = 1
	ReduceSum  Reduction = 2
)

// CrossEntropy returns -log softmax(logits)[target] for logits [N, C] and Int64 targets [N], in float32 whatever the logits are.
func CrossEntropy(logits, target *Tensor, r Reduction) *Tensor {
	logits = logits.To(Float)
	var out handle
	none, done := optional("cross entropy", nil)
	defer done()
	lib.AtgCrossEntropyLoss(&out, logits.ptr("cross entropy"), target.ptr("cross entropy"), none, int64(r), -100, 0)
	check("cross entropy", logits, target)
	return adopt(out)
}

// Cosine returns the cosine of the angles between a and b along dim.
func Cosine(a, b *Tensor, dim int64) *Tensor {
	return binary("cosine", func(o *handle, x, y handle) { lib.AtgCosineSimilarity(o, x, y, dim, 1e-8) }, a, b)
}

// LSTM runs one layer over x [B, T, in] from zero states and returns all states [B, T, H] (2H with both directions) and
// the last ones [D, B, H], D directions. weights are w_ih, w_hh, b_ih, b_hh, then the same four of the reverse direction.
func LSTM(x *Tensor, weights []*Tensor, train bool) (states, last *Tensor) {
	both := len(weights) == 8
	dirs := int64(len(weights) / 4)
	if got, want := x.Size(-1), weights[0].Size(1); got != want { // libtorch's fast path would read past the end
		fail("lstm", fmt.Sprintf("x has %d features, the weights want %d", got, want), append([]*Tensor{x}, weights...)...)
	}
	if OnCUDA() {
		return lstmWhole(x, weights)
	}
	h0 := Zeros(dirs, x.Size(0), weights[1].Size(1))
	var out [3]handle
	lib.AtgLstm(&out[0], x.ptr("lstm"), handles("lstm", []*Tensor{h0, h0}), 2, handles("lstm", weights), len(weights),
		1, 1, 0, flag(train), flag(both), 1)
	check("lstm", append([]*Tensor{x}, weights...)...)
	states, last = adopt(out[0]), adopt(out[1])
	adopt(out[2]).Free()
	return states, last
}
