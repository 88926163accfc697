// Package device names what tensors may live on: "cpu", "cuda" (the first CUDA device), "cuda:N",
// and "auto", which is the first CUDA device where one can be used and the CPU elsewhere.
package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// Wanted lists the names for a message.
const Wanted = `"auto", "cpu", "cuda", or "cuda:N" with N from 0 to 63`

// The names that are no family.
const (
	Auto = "auto"
	CPU  = "cpu"
)

// maxIndex keeps N far from what libtorch's eight bits hold; no machine has as many. Wanted has it.
const maxIndex = 63

// Choice is a parsed name.
type Device struct {
	Auto  bool
	Index int // of the CUDA device, -1 = the CPU; with Auto the one to try
}

// Parse reads a name; "" means "auto".
func ParseDevice(name string) (Device, error) {
	switch name {
	case "", Auto:
		return Device{Auto: true}, nil
	case CPU:
		return Device{Index: -1}, nil
	case "cuda":
		return Device{}, nil
	}
	digits, ok := strings.CutPrefix(name, "cuda:")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n > maxIndex || strconv.Itoa(n) != digits {
		return Device{}, fmt.Errorf("is %q, but must be %s", name, Wanted)
	}
	return Device{Index: n}, nil
}

// Name is the name of the CUDA device of an index, or "cpu" for -1.
func CUDAName(index int) string {
	if index < 0 {
		return CPU
	}
	return "cuda:" + strconv.Itoa(index)
}

// Kind is a device's name without its index: "cpu" or "cuda".
func DeviceKind(name string) string {
	kind, _, _ := strings.Cut(name, ":")
	return kind
}
