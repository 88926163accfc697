package torch

import (
	"unsafe"

	lib "github.com/sugarme/gotch/libtch"
)

// FromFloats returns a Float tensor with a copy of data, row-major.
func FromFloats(data []float32, shape ...int64) *Tensor { return fromSlice(data, Float, shape) }

// FromInts returns an Int64 tensor with a copy of data, row-major.
func FromInts(data []int64, shape ...int64) *Tensor { return fromSlice(data, Int64, shape) }

// FromBytes returns a Uint8 tensor with a copy of data.
func FromBytes(data []byte, shape ...int64) *Tensor { return fromSlice(data, Uint8, shape) }

// Zeros returns a Float tensor of zeros.
func Zeros(shape ...int64) *Tensor { return filled(lib.AtgZeros, "zeros", shape) }

// Ones returns a Float tensor of ones.
func Ones(shape ...int64) *Tensor { return filled(lib.AtgOnes, "ones", shape) }

// Randn returns a Float tensor of standard normal draws from the seeded generator.
func Randn(shape ...int64) *Tensor { return filled(lib.AtgRandn, "randn", shape) }

// Uniform returns a Float tensor of draws from [lo, hi).
func Uniform(lo, hi float64, shape ...int64) *Tensor {
	r := filled(lib.AtgRand, "rand", shape)
	scaled := r.Scale(hi - lo)
	// Not left to the scope, which may be that of a whole training.
	r.Free()
	defer scaled.Free()
	return scaled.AddScalar(lo)
}

const onCPU = -1 // gotch's number of the CPU

func filled(fn func(*handle, []int64, int, int32, int32), op string, shape []int64) *Tensor {
	var out handle
	fn(&out, list(shape), len(shape), int32(Float), onCPU)
	check(op)
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
	return shimFromBlob(p, dtype, list(shape), len(shape))
}
