package torch

// #include "cuda.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	lib "github.com/sugarme/gotch/libtch"
)

// FromFloats returns a Float tensor with a copy of data, row-major.
func FromFloats(data []float32, shape ...int64) *Tensor { return fromSlice(data, Float, shape) }

// FromInts returns an Int64 tensor with a copy of data, row-major.
func FromInts(data []int64, shape ...int64) *Tensor {
	t := fromSlice(data, Int64, shape)
	if OnCUDA() && len(data) > 0 {
		t.ids = []int64{slices.Min(data), slices.Max(data)}
	}
	return t
}

// within unwinds where ids made by FromInts are none of n rows. A CUDA kernel that meets such an id
// ends all work of the process on its device, and says so at some later operation.
func (t *Tensor) within(n int64, op string) {
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

// Randn returns a Float tensor of standard normal draws from the seeded generator of the CPU, moved
// to the device: a seed means the same numbers everywhere.
func Randn(shape ...int64) *Tensor { return filledOn(onCPU, lib.AtgRandn, "randn", shape).move() }

// Uniform returns a Float tensor of draws from [lo, hi), from the CPU's generator as Randn's are.
func Uniform(lo, hi float64, shape ...int64) *Tensor {
	r := filledOn(onCPU, lib.AtgRand, "rand", shape)
	scaled := r.Scale(hi - lo)
	// Not left to the scope, which may be that of a whole training.
	r.Free()
	defer scaled.Free()
	return scaled.addScalar(lo).move()
}

const onCPU = -1 // gotch's number of the CPU

func filled(fn func(*handle, []int64, int, int32, int32), op string, shape []int64) *Tensor {
	return filledOn(here(), fn, op, shape)
}

func filledOn(index int, fn func(*handle, []int64, int, int32, int32), op string, shape []int64) *Tensor {
	var out handle
	fn(&out, list(shape), len(shape), int32(Float), int32(index))
	check(op)
	return adopt(out)
}

// move takes a tensor of the CPU to the device and frees the original; on the CPU it is the tensor
// itself.
func (t *Tensor) move() *Tensor {
	if !OnCUDA() {
		return t
	}
	defer t.Free()
	var out handle
	must("to device", C.shim_to_device(hp(&out), C.handle(t.ptr("to device")), C.int(here())), t)
	return adopt(out)
}

// list returns xs, or one unused element when empty: gotch takes the address of the first.
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
	return fromBlob(p, dtype, shape, here())
}

// hostSlice copies a block of memory to a tensor of the CPU.
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
