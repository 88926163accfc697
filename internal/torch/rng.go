package torch

// #include "cuda.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// RNGState returns the state of the random generators, for a checkpoint. It begins with the state
// of the CPU's generator, which initialises weights. On CUDA, the state of the device's generator
// follows, because dropout uses that generator.
func RNGState() []byte {
	state := stateOf(onCPU)
	if OnCUDA() {
		state = append(state, stateOf(deviceIndex())...)
	}
	return state
}

// SetRNGState restores a state that RNGState returned. It fails if the state is from another kind
// of device.
func SetRNGState(state []byte) {
	cpu := len(stateOf(onCPU))
	want := cpu
	if OnCUDA() {
		want += len(stateOf(deviceIndex()))
	}
	if len(state) != want {
		fail(
			"set rng state",
			fmt.Sprintf(
				"the state has %d bytes, but that of %s has %d: it was made on another kind of device", len(state),
				Device(), want,
			),
		)
	}
	setStateOf(onCPU, state[:cpu])
	if OnCUDA() {
		setStateOf(deviceIndex(), state[cpu:])
	}
}

func stateOf(index int) []byte {
	var out handle
	must("rng state", C.shim_rng_get_of(hp(&out), C.int(index)))
	t := adopt(out)
	defer t.Free()
	return t.Bytes()
}

func setStateOf(index int, state []byte) {
	t := hostSlice(unsafe.Pointer(unsafe.SliceData(state)), Uint8, []int64{int64(len(state))})
	defer t.Free()
	must("set rng state", C.shim_rng_set_of(C.handle(t.h), C.int(index)))
}
