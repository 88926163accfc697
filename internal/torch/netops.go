package torch

import (
	lib "github.com/sugarme/gotch/libtch"
)

// Embed returns rows of a table [V, D] for Int64 ids of any shape: [..., D].
func Embed(table, ids *Tensor) *Tensor {
	ids.within(table.Size(0), "embedding")
	return binary("embedding", func(o *handle, w, i handle) { lib.AtgEmbedding(o, w, i, -1, 0, 0) }, table, ids)
}

// Softmax normalises along dim.
func (t *Tensor) Softmax(dim int64) *Tensor {
	return unary("softmax", func(o *handle, h handle) { lib.AtgSoftmax(o, h, dim, sameDType) }, t)
}

// LogSoftmax is the logarithm of Softmax, without underflow.
func (t *Tensor) LogSoftmax(dim int64) *Tensor {
	return unary("log softmax", func(o *handle, h handle) { lib.AtgLogSoftmax(o, h, dim, sameDType) }, t)
}

// Reduction says how a loss combines its rows.
type Reduction int64

// The reductions, numbered as in libtorch.
const (
	ReduceNone Reduction = 0
	ReduceMean Reduction = 1
	ReduceSum  Reduction = 2
)

// CrossEntropy returns -log softmax(logits)[target] for logits [N, C] and Int64 targets [N], in
// float32 whatever the logits are.
func CrossEntropy(logits, target *Tensor, r Reduction) *Tensor {
	target.within(logits.Size(1), "cross entropy")
	logits = logits.To(Float)
	var out handle
	none := lib.AtNewTensor() // no class has a weight of its own
	defer lib.AtFree(none)
	lib.AtgCrossEntropyLoss(&out, logits.ptr("cross entropy"), target.ptr("cross entropy"), none, int64(r), -100, 0)
	check("cross entropy", logits, target)
	return adopt(out)
}
