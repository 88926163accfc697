package kernels

// #include "kernels.h"
import "C"

import "os"

// CPU returns the instructions that kernels use, "AVX512", "AVX2" or "SSE2": the CPU's, less what
// ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA and MKL_ENABLE_INSTRUCTIONS take away (isa.h).
func CPU() string { return C.GoString(C.kernels_cpu()) }

// BF16 tells whether the CPU multiplies bfloat16 in hardware, and the switches of libtorch and
// oneDNN let it.
func BF16() bool { return C.kernels_bf16() != 0 }

// MakesBF16 tells whether the products of a training step in bfloat16 come out at all on the CPU,
// however slowly.
func MakesBF16() bool { return C.kernels_makes_bf16() != 0 }

// Product returns x w^T for x [M, K] and w [N, K], by oneDNN where that is asked for and makes such
// products, else by libtorch's choice.
func Product(x, w Handle, oneDNN bool) (y Handle, err error) {
	err = failure(C.kernels_product((*C.handle)(&y), C.handle(x), C.handle(w), flag(oneDNN)))
	return y, err
}

// KeepHeap has memory kept from step to step (heap.cpp). It comes before torch's first work.
func KeepHeap() { C.kernels_keep_heap() }

// oneDNN remembers what it compiled for each of the last shapes, as many as this says: 1,024 by
// default, at up to some MB each, and sentences come in batches of many shapes. Fewer cost models
// of the paper's sizes no time, and the demo's small ones some (docs/performance.md).
const (
	shapesKept = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
	fewShapes  = "64"
)

// KeepFewShapes bounds the memory of compiled products, where the user's environment has no bound.
// It comes before the first product, when oneDNN reads the variable.
func KeepFewShapes() {
	if os.Getenv(shapesKept) == "" {
		_ = os.Setenv(shapesKept, fewShapes) // fails for names and values that are none
	}
}

// Trim gives free memory back to the system (heap.cpp).
func Trim() { C.kernels_trim() }
