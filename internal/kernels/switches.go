package kernels

// #include "kernels.h"
import "C"

import (
	"cmp"
	"slices"
)

// Kernel is a part of this package that can be switched off, so that the default code runs instead.
type Kernel struct {
	Name  string
	About string // what the kernel replaces
	index C.int
}

// All returns the kernels, sorted by name.
func All() []Kernel {
	all := make([]Kernel, int(C.kernels_count()))
	for i := range all {
		c := C.int(i)
		all[i] = Kernel{C.GoString(C.kernels_name(c)), C.GoString(C.kernels_about(c)), c}
	}
	slices.SortFunc(all, func(a, b Kernel) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Find returns the kernel with the given name.
func Find(name string) (k Kernel, ok bool) {
	all := All()
	i := slices.IndexFunc(all, func(k Kernel) bool { return k.Name == name })
	if i < 0 {
		return k, false
	}
	return all[i], true
}

// Turn switches the kernel on or off and returns whether it was on. Call it while no kernel runs.
// The kernel "heap" can be changed only before any other use of libtorch.
func (k Kernel) Turn(on bool) (was bool) { return C.kernels_turn(k.index, flag(on)) != 0 }
