// Package kernels is the C++ that makes steps faster than libtorch's own operations would: one
// concept a header, all of them compiled as one unit (kernels.cpp). Each header says what is
// computed, what of libtorch's it replaces, and what it was measured to be worth
// (docs/decisions/014-own-kernels.md has the table).
//
// Only internal/torch calls these functions: it owns the tensors whose handles they take, and knows
// the device and the scope. What they return belongs to the caller.
package kernels

/*
#cgo CXXFLAGS: -std=c++17 -O3 -fopenmp-simd
#include <stdlib.h>
#include "kernels.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	_ "github.com/smlm-exp/smlm-exp/internal/need" // says what to do where libtorch is missing
)

// Handle is a torch::Tensor*, as gotch's Ctensor.
type Handle = unsafe.Pointer

// failure is the error that a message stands for, nil without one.
func failure(msg *C.char) error {
	if msg == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(msg))
	return errors.New(C.GoString(msg))
}

// first returns the address of the first handle, nil without any.
func first(hs []Handle) *C.handle {
	if len(hs) == 0 {
		return nil
	}
	return (*C.handle)(&hs[0])
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
