package torch

import lib "github.com/sugarme/gotch/libtch"

func unary(op string, fn func(*handle, handle), t *Tensor) *Tensor {
	var out handle
	fn(&out, t.ptr(op))
	check(op, t)
	return adopt(out)
}

func binary(op string, fn func(*handle, handle, handle), a, b *Tensor) *Tensor {
	var out handle
	fn(&out, a.ptr(op), b.ptr(op))
	check(op, a, b)
	return adopt(out)
}

func scalar(op string, fn func(*handle, handle, lib.Cscalar), t *Tensor, v float64) *Tensor {
	s := lib.AtsFloat(v)
	defer lib.AtsFree(s)
	var out handle
	fn(&out, t.ptr(op), s)
	check(op, t)
	return adopt(out)
}

// These operations work element by element, with broadcasting.

// Add returns t + u.
func (t *Tensor) Add(u *Tensor) *Tensor { return binary("add", lib.AtgAdd, t, u) }

// Sub returns t - u.
func (t *Tensor) Sub(u *Tensor) *Tensor { return binary("sub", lib.AtgSub, t, u) }

// Mul returns t * u, element by element.
func (t *Tensor) Mul(u *Tensor) *Tensor { return binary("mul", lib.AtgMul, t, u) }

// Scale returns t * v.
func (t *Tensor) Scale(v float64) *Tensor { return scalar("scale", lib.AtgMulScalar, t, v) }

// addScalar returns t + v.
func (t *Tensor) addScalar(v float64) *Tensor { return scalar("add scalar", lib.AtgAddScalar, t, v) }

// Abs returns |t|.
func (t *Tensor) Abs() *Tensor { return unary("abs", lib.AtgAbs, t) }

// Tanh returns the hyperbolic tangent of each element.
func (t *Tensor) Tanh() *Tensor { return unary("tanh", lib.AtgTanh, t) }

// relu returns max(x, 0) for each element x.
func (t *Tensor) relu() *Tensor { return unary("relu", lib.AtgRelu, t) }

// MatMul returns the matrix product, batched over leading dimensions.
func (t *Tensor) MatMul(u *Tensor) *Tensor { return binary("matmul", lib.AtgMatmul, t, u) }

// These operations reduce a tensor.

const sameDType = -1

// Sum returns the sum of all elements.
func (t *Tensor) Sum() *Tensor {
	return unary("sum", func(o *handle, h handle) { lib.AtgSum(o, h, sameDType) }, t)
}

// Mean returns the mean of all elements.
func (t *Tensor) Mean() *Tensor {
	return unary("mean", func(o *handle, h handle) { lib.AtgMean(o, h, sameDType) }, t)
}

// SumDim sums over one dimension. If keep is set, the result has this dimension with size 1.
func (t *Tensor) SumDim(dim int64, keep bool) *Tensor {
	return unary("sum dim", func(o *handle, h handle) {
		lib.AtgSumDimIntlist(o, h, []int64{dim}, 1, flag(keep), sameDType)
	}, t)
}

// MeanDim averages over one dimension. If keep is set, the result has this dimension with size 1.
func (t *Tensor) MeanDim(dim int64, keep bool) *Tensor {
	return unary("mean dim", func(o *handle, h handle) {
		lib.AtgMeanDim(o, h, []int64{dim}, 1, flag(keep), sameDType)
	}, t)
}

// Argmax returns the index of the largest element along dim, as Int64. The result lacks this
// dimension.
func (t *Tensor) Argmax(dim int64) *Tensor {
	return unary("argmax", func(o *handle, h handle) { lib.AtgArgmax(o, h, dim, 0, 0) }, t)
}

// Max returns the largest element along dim. The result lacks this dimension. Equal largest
// elements share the gradient.
func (t *Tensor) Max(dim int64) *Tensor {
	return unary("max", func(o *handle, h handle) { lib.AtgAmax(o, h, []int64{dim}, 1, 0) }, t)
}

// Finite reports whether all elements are finite.
func (t *Tensor) Finite() bool {
	return unary("all", lib.AtgAll, unary("isfinite", lib.AtgIsfinite, t)).Item() != 0
}

func flag(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// These operations change the shape or the layout of a tensor.

// Reshape returns t with another shape. One size may be -1, which means that it follows from the
// others. Without sizes, the result is a scalar.
func (t *Tensor) Reshape(shape ...int64) *Tensor {
	return unary("reshape", func(o *handle, h handle) { lib.AtgReshape(o, h, list(shape), len(shape)) }, t)
}

// Transpose swaps two dimensions.
func (t *Tensor) Transpose(a, b int64) *Tensor {
	return unary("transpose", func(o *handle, h handle) { lib.AtgTranspose(o, h, a, b) }, t)
}

// Narrow returns a view of length entries of dimension dim, from index start on.
func (t *Tensor) Narrow(dim, start, length int64) *Tensor {
	return unary("narrow", func(o *handle, h handle) { lib.AtgNarrow(o, h, dim, start, length) }, t)
}

// Rows returns the rows of a matrix [N, D] whose indices are in an Int64 vector [K]. The result is
// [K, D].
func (t *Tensor) Rows(index *Tensor) *Tensor {
	index.mustIndex(t.Size(0), "rows")
	return binary("rows", func(o *handle, h, i handle) { lib.AtgIndexSelect(o, h, 0, i) }, t, index)
}

// contiguous returns a copy of t in row-major order, or t itself if t already has this order.
func (t *Tensor) contiguous() *Tensor { return unary("contiguous", lib.AtgContiguous, t) }

// Detach returns t detached from the graph, so that no gradient flows back to the inputs of t.
func (t *Tensor) Detach() *Tensor { return unary("detach", lib.AtgDetach, t) }

// Copy returns a copy of t in its own memory.
func (t *Tensor) Copy() *Tensor {
	return unary("copy", func(o *handle, h handle) { lib.AtgToDtype(o, h, lib.AtScalarType(h), 0, 1) }, t)
}

// To converts the element type.
func (t *Tensor) To(dtype DType) *Tensor {
	return unary("to", func(o *handle, h handle) { lib.AtgToDtype(o, h, int32(dtype), 0, 0) }, t)
}

// Set copies u's elements into t, in place and without recording gradients. The shapes must agree.
func (t *Tensor) Set(u *Tensor) {
	was := setGrad(false)
	defer setGrad(was)
	lib.AtCopy_(t.ptr("set"), u.ptr("set"))
	check("set", t, u)
}

// Cat joins tensors along an existing dimension.
func Cat(dim int64, ts ...*Tensor) *Tensor {
	var out handle
	lib.AtgCat(&out, handles("cat", ts), len(ts), dim)
	check("cat", ts...)
	return adopt(out)
}

// Embed returns the rows of a table [V, D] at Int64 ids of any shape. The result is [..., D].
func Embed(table, ids *Tensor) *Tensor {
	ids.mustIndex(table.Size(0), "embedding")
	return binary("embedding", func(o *handle, w, i handle) { lib.AtgEmbedding(o, w, i, -1, 0, 0) }, table, ids)
}

// Softmax returns the softmax along dim.
func (t *Tensor) Softmax(dim int64) *Tensor {
	return unary("softmax", func(o *handle, h handle) { lib.AtgSoftmax(o, h, dim, sameDType) }, t)
}

// LogSoftmax is the logarithm of Softmax, without underflow.
func (t *Tensor) LogSoftmax(dim int64) *Tensor {
	return unary("log softmax", func(o *handle, h handle) { lib.AtgLogSoftmax(o, h, dim, sameDType) }, t)
}

// Reduction says how a loss combines the losses of its rows.
type Reduction int64

// The reductions, numbered as in libtorch.
const (
	ReduceMean Reduction = 1
	ReduceSum  Reduction = 2
)

// CrossEntropy returns -log softmax(logits)[target] for logits [N, C] and Int64 targets [N]. The
// result is float32, even if the logits have another type.
func CrossEntropy(logits, target *Tensor, r Reduction) *Tensor {
	target.mustIndex(logits.Size(1), "cross entropy")
	logits = logits.To(Float)
	var out handle
	none := lib.AtNewTensor() // no class weights
	defer lib.AtFree(none)
	lib.AtgCrossEntropyLoss(&out, logits.ptr("cross entropy"), target.ptr("cross entropy"), none, int64(r), -100, 0)
	check("cross entropy", logits, target)
	return adopt(out)
}
