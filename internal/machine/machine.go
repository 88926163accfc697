// Package machine parses the names of devices, spreads loops over all cores, keeps memory for the
// Go heap under a limit and says what the program was built from. It imports only the standard
// library, so that every package may import it.
package machine

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// DeviceNames lists the names of devices, for a message: "cuda" is the first CUDA device, "auto"
// that where it can be used and the CPU elsewhere.
const DeviceNames = `"auto", "cpu", "cuda", or "cuda:N" with N from 0 to 63`

// The names that are no family.
const (
	Auto = "auto"
	CPU  = "cpu"
)

// maxIndex keeps N far from what libtorch's eight bits hold; no machine has as many. DeviceNames
// says it too.
const maxIndex = 63

// Device is a parsed name.
type Device struct {
	Auto  bool
	Index int // of the CUDA device, -1 = the CPU; with Auto the one to try
}

// ParseDevice reads a name; "" means "auto".
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
		return Device{}, fmt.Errorf("is %q, but must be %s", name, DeviceNames)
	}
	return Device{Index: n}, nil
}

// CUDAName is the name of the CUDA device of an index, or "cpu" for -1.
func CUDAName(index int) string {
	if index < 0 {
		return CPU
	}
	return "cuda:" + strconv.Itoa(index)
}

// DeviceKind is a device's name without its index: "cpu" or "cuda".
func DeviceKind(name string) string {
	kind, _, _ := strings.Cut(name, ":")
	return kind
}

// HoldHeap gives the Go heap a part of the address space that a limit (ulimit -v, SGE's h_vmem)
// leaves, before anything else takes it. Where a limit is met, libtorch's allocations return an
// error that names the cause; those of the Go runtime end the program with a dump. So they are to
// be met by libtorch. What the runtime notes of its heap, some 256 kB at a time, is not held.
func HoldHeap() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur == math.MaxUint64 {
		return
	}
	var taken uint64 // pages
	raw, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(raw), &taken)
	}
	if taken *= uint64(os.Getpagesize()); err != nil || taken > limit.Cur {
		return
	}
	const step = 64 << 20 // the heap grows by so much
	size := int(min((limit.Cur-taken)/3, 1<<30) / step * step)
	probe, err := syscall.Mmap(-1, 0, size+step, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if size == 0 || err != nil {
		return
	}
	_ = syscall.Munmap(probe) // it cannot fail on what Mmap returned
	runtime.KeepAlive(make([]byte, size-step/2))
	runtime.GC() // its space stays the heap's
}

// Parallel calls f with each number below n, as many at once as there are cores, and returns when
// all calls have.
func Parallel(n int, f func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	workers.Wait()
}

// Build is what Go wrote into the binary; what it did not is empty.
type Build struct {
	Version  string // of the main module
	Commit   string // of git, whole
	Modified bool   // the tree had changes beside it
}

// ReadBuild returns the binary's; ok is false where it has none.
func ReadBuild() (i Build, ok bool) {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return i, false
	}
	i.Version = build.Main.Version
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i, true
}

// Short returns the first n digits of the commit.
func (i Build) Short(n int) string { return i.Commit[:min(n, len(i.Commit))] }
