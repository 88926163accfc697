package torch

/*
#cgo CXXFLAGS: -std=c++17
#include <stdlib.h>
#include "cuda.h"
#include "shim.h"
*/
import "C"

import (
	"unsafe"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

func takeString(p unsafe.Pointer) string {
	s := C.GoString((*C.char)(p))
	C.free(p)
	return s
}

func must(op string, msg *C.char, inputs ...*Tensor) {
	if msg != nil {
		fail(op, takeString(unsafe.Pointer(msg)), inputs...)
	}
}

func hp(h *handle) *C.handle { return (*C.handle)(unsafe.Pointer(h)) }

// Seed sets the seed of the generators for initialisation and dropout: the CPU's and those of all
// CUDA devices.
func Seed(seed uint64) { must("seed", C.shim_seed(C.uint64_t(seed))) }

// SetThreads sets the number of threads that an operation may use.
func SetThreads(n int) { C.shim_threads(C.int(n)) }

// Threads returns the number of threads that an operation may use.
func Threads() int { return int(C.shim_get_threads()) }

// Trim gives free memory back to the system. Call it after training. Training keeps free blocks
// from step to step, but later work needs blocks of other sizes.
func Trim() { kernels.Trim() }

// Version returns libtorch's version, such as "2.1.2".
func Version() string { return C.GoString(C.shim_version()) }

// CPUCapability returns the instruction set that our kernels use: "AVX512", "AVX2" or "SSE2". This
// is the best one of the CPU that the environment variables ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA
// and MKL_ENABLE_INSTRUCTIONS allow.
func CPUCapability() string { return kernels.CPU() }

// openCUDA loads libtorch_cuda from path, so that CUDA devices can be used. If that fails, it
// returns the reason.
func openCUDA(path string) (ok bool, reason string) {
	c := C.CString(path)
	defer C.free(unsafe.Pointer(c))
	var msg *C.char
	if C.shim_open_cuda(c, &msg) != 0 {
		return true, ""
	}
	return false, takeString(unsafe.Pointer(msg))
}

// Autocast calls fn. If on is set, matrix products in fn are computed in bfloat16, and everything
// else in float32.
func Autocast(on bool, fn func()) {
	if !on {
		fn()
		return
	}
	index := C.int(deviceIndex())
	was := C.shim_autocast_on(index, 1)
	defer func() { C.shim_autocast_on(index, was) }()
	fn()
}

func handles(op string, ts []*Tensor) []handle {
	hs := make([]handle, len(ts), len(ts)+1)
	for i, t := range ts {
		hs[i] = t.ptr(op)
	}
	return hs[:len(ts)]
}

func first(hs []handle) *C.handle {
	if len(hs) == 0 {
		return nil
	}
	return hp(&hs[0])
}

// raw returns the handle of t as a kernels.Handle, or nil if t is nil.
func (t *Tensor) raw(op string) kernels.Handle {
	if t == nil {
		return nil
	}
	return kernels.Handle(t.ptr(op))
}

func raws(op string, ts []*Tensor) []kernels.Handle {
	hs := make([]kernels.Handle, len(ts))
	for i, t := range ts {
		hs[i] = t.raw(op)
	}
	return hs
}

// result wraps the result of a kernel as a tensor. If the kernel failed, result panics, and the
// nearest Scoped returns the kernel's error.
func result(op string, h kernels.Handle, err error, inputs ...*Tensor) *Tensor {
	mustKernel(op, err, inputs...)
	return adopt(handle(h))
}

// mustKernel panics if a kernel failed. The nearest Scoped then returns the kernel's error.
func mustKernel(op string, err error, inputs ...*Tensor) {
	if err != nil {
		fail(op, err.Error(), inputs...)
	}
}
