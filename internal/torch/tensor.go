package torch

import (
	"unsafe"

	lib "github.com/sugarme/gotch/libtch"
)

type handle = lib.Ctensor

// DType is an element type, numbered as in libtorch.
type DType int32

// The element types in use.
const (
	Uint8    DType = 0
	Int64    DType = 4
	Float    DType = 6
	Double   DType = 7
	Bool     DType = 11
	BFloat16 DType = 15
)

// Tensor is a handle to a libtorch tensor, owned by a scope or, after Own, by whoever frees it.
type Tensor struct {
	h     handle
	scope *scope
	ids   []int64 // of one that FromInts made on a CUDA device: the least and the most of its numbers
}

// Free releases the handle at once. Freeing twice does nothing.
func (t *Tensor) Free() {
	if t == nil || t.h == nil {
		return
	}
	lib.AtFree(t.h)
	t.h = nil
	live--
}

// ptr returns the handle, unwinding if the tensor was freed.
func (t *Tensor) ptr(op string) handle {
	if t == nil || t.h == nil {
		panic(&OpError{Op: op, Text: "a tensor is used after its scope was closed"})
	}
	return t.h
}

// Shape returns the sizes of all dimensions.
func (t *Tensor) Shape() []int64 {
	n := lib.AtDim(t.ptr("shape"))
	if n == 0 {
		return []int64{}
	}
	shape := make([]int64, n)
	lib.AtShape(t.h, unsafe.Pointer(&shape[0]))
	check("shape")
	return shape
}

// Size returns the size of one dimension; negative dims count from the end.
func (t *Tensor) Size(dim int) int64 {
	s := t.Shape()
	if dim < 0 {
		dim += len(s)
	}
	return s[dim]
}

// Numel returns the number of elements.
func (t *Tensor) Numel() int64 {
	n := int64(1)
	for _, d := range t.Shape() {
		n *= d
	}
	return n
}

// DType returns the element type.
func (t *Tensor) DType() DType { return DType(lib.AtScalarType(t.ptr("dtype"))) }

// Floats copies t to a slice, row-major, as float32.
func (t *Tensor) Floats() []float32 {
	return copyOut[float32](t, Float)
}

// Ints copies t to a slice, row-major, as int64.
func (t *Tensor) Ints() []int64 {
	return copyOut[int64](t, Int64)
}

// Bytes copies a Uint8 tensor to a slice.
func (t *Tensor) Bytes() []byte {
	return copyOut[byte](t, Uint8)
}

func copyOut[T any](t *Tensor, dtype DType) []T {
	n := t.Numel()
	out := make([]T, n)
	if n == 0 {
		return out
	}
	c := t.Detach().onHost().To(dtype).contiguous()
	copy(out, unsafe.Slice((*T)(lib.AtDataPtr(c.ptr("data"))), n))
	return out
}

// onHost returns t in the CPU's memory, itself if it is there already; otherwise it waits until the
// device has made t.
func (t *Tensor) onHost() *Tensor {
	// Gotch reads eight bytes of a four-byte int: the upper half is noise.
	if int32(lib.AtDevice(t.ptr("read"))) == onCPU {
		return t
	}
	return unary("read", func(o *handle, h handle) { lib.AtgTo(o, h, onCPU) }, t)
}

// Item returns the one element of t.
func (t *Tensor) Item() float64 {
	if n := t.Numel(); n != 1 {
		panic(&OpError{Op: "item", Shapes: [][]int64{t.Shape()}, Text: "wants one element"})
	}
	return copyOut[float64](t, Double)[0]
}
