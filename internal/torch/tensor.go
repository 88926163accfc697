// Package torch wraps libtorch. It is based on gotch's libtch bindings and a small C++ shim. No
// other package imports gotch.
//
// Memory belongs to scopes. The innermost open scope owns the result of every operation. When a
// scope closes, it frees the tensors that were not moved out of it. Nothing waits for the garbage
// collector. A training step is one scope:
//
//	err := torch.Run(func() error {
//		return torch.Scoped(func() error {
//			loss := model.Loss(batch)
//			loss.Backward()
//			return nil
//		})
//	})
//
// All work happens on one goroutine that is locked to its thread (Run), because libtorch's gradient
// mode, autocast mode and error slots are thread-local. Operations do not return errors. A forward
// pass is an expression of about fifty operations, and error checks would hide the mathematics.
// Instead, a failed operation panics, and the nearest Scoped, NoGrad or Run returns an *OpError
// with the operation's name and the shapes of its inputs. Any other panic is a bug and keeps its
// stack.
package torch

// #include "cuda.h"
import "C"

import (
	"fmt"
	"slices"
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
	BFloat16 DType = 15
)

// Tensor is a handle to a libtorch tensor. A scope owns the tensor until Own is called. After that,
// the caller owns it.
type Tensor struct {
	h     handle
	scope *scope
	ids   []int64 // the lowest and the highest id, if FromInts created the tensor on a CUDA device
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

// ptr returns the handle. If the tensor was freed, ptr panics with an *OpError, which the nearest
// Scoped returns.
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

// Size returns the size of one dimension. A negative dim counts from the end.
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

// Floats returns a copy of t's elements as float32, in row-major order.
func (t *Tensor) Floats() []float32 {
	return copyOut[float32](t, Float)
}

// Ints returns a copy of t's elements as int64, in row-major order.
func (t *Tensor) Ints() []int64 {
	return copyOut[int64](t, Int64)
}

// Bytes returns a copy of the elements of a Uint8 tensor.
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

// onHost returns a copy of t in the CPU's memory, or t itself if it is already there. Before it
// copies t, it waits until the device has computed t.
func (t *Tensor) onHost() *Tensor {
	// gotch reads eight bytes of a four-byte int, so the upper half is undefined.
	if int32(lib.AtDevice(t.ptr("read"))) == onCPU {
		return t
	}
	return unary("read", func(o *handle, h handle) { lib.AtgTo(o, h, onCPU) }, t)
}

// Item returns the only element of t.
func (t *Tensor) Item() float64 {
	if n := t.Numel(); n != 1 {
		panic(&OpError{Op: "item", Shapes: [][]int64{t.Shape()}, Text: "wants one element"})
	}
	return copyOut[float64](t, Double)[0]
}

// FromFloats returns a Float tensor with a copy of data, which is in row-major order.
func FromFloats(data []float32, shape ...int64) *Tensor { return fromSlice(data, Float, shape) }

// FromInts returns an Int64 tensor with a copy of data, which is in row-major order.
func FromInts(data []int64, shape ...int64) *Tensor {
	t := fromSlice(data, Int64, shape)
	if OnCUDA() && len(data) > 0 {
		t.ids = []int64{slices.Min(data), slices.Max(data)}
	}
	return t
}

// mustIndex fails if an id in t is not from 0 to n-1. It checks only tensors that FromInts created
// on a CUDA device. There, a kernel that gets a wrong id ends all of the process's work on the
// device, and the error appears at some later operation.
func (t *Tensor) mustIndex(n int64, op string) {
	for _, id := range t.ids {
		if id < 0 || id >= n {
			fail(op, fmt.Sprintf("index out of range: %d of %d", id, n), t)
		}
	}
}

// Zeros returns a Float tensor of zeros.
func Zeros(shape ...int64) *Tensor { return filled(lib.AtgZeros, "zeros", shape) }

// Ones returns a Float tensor of ones.
func Ones(shape ...int64) *Tensor { return filled(lib.AtgOnes, "ones", shape) }

// Uniform returns a Float tensor of uniform draws from [lo, hi). The CPU's seeded generator draws
// them, so that a seed gives the same numbers on every device.
func Uniform(lo, hi float64, shape ...int64) *Tensor {
	r := filledOn(onCPU, lib.AtgRand, "rand", shape)
	scaled := r.Scale(hi - lo)
	// Free r now, because the open scope may free it only after a whole training run.
	r.Free()
	defer scaled.Free()
	return scaled.addScalar(lo).move()
}

const onCPU = -1 // gotch's number for the CPU

func filled(fn func(*handle, []int64, int, int32, int32), op string, shape []int64) *Tensor {
	return filledOn(deviceIndex(), fn, op, shape)
}

func filledOn(index int, fn func(*handle, []int64, int, int32, int32), op string, shape []int64) *Tensor {
	var out handle
	fn(&out, list(shape), len(shape), int32(Float), int32(index))
	check(op)
	return adopt(out)
}

// move moves a CPU tensor to the current device and frees the original. If the current device is
// the CPU, it returns t.
func (t *Tensor) move() *Tensor {
	if !OnCUDA() {
		return t
	}
	defer t.Free()
	var out handle
	must("to device", C.shim_to_device(hp(&out), C.handle(t.ptr("to device")), C.int(deviceIndex())), t)
	return adopt(out)
}

// list returns xs. If xs is empty, it returns one unused element, because gotch takes the address
// of the first element.
func list(xs []int64) []int64 {
	if len(xs) == 0 {
		return []int64{0}
	}
	return xs
}

func fromSlice[T any](data []T, dtype DType, shape []int64) *Tensor {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	if n != int64(len(data)) {
		panic(&OpError{Op: "from slice", Shapes: [][]int64{shape}, Text: "shape and number of elements differ"})
	}
	var zero T
	p := unsafe.Pointer(&zero)
	if len(data) > 0 {
		p = unsafe.Pointer(&data[0])
	}
	return fromBlob(p, dtype, shape, deviceIndex())
}

// hostSlice copies a block of memory to a tensor on the CPU.
func hostSlice(p unsafe.Pointer, dtype DType, shape []int64) *Tensor {
	return fromBlob(p, dtype, shape, onCPU)
}

func fromBlob(p unsafe.Pointer, dtype DType, shape []int64, index int) *Tensor {
	var out handle
	must(
		"from slice",
		C.shim_from_blob_on(
			hp(&out), p, (*C.int64_t)(unsafe.Pointer(&list(shape)[0])), C.int(len(shape)), C.int(dtype), C.int(index),
		),
	)
	return adopt(out)
}
