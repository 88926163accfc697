// Package machine parses device names, runs loops on all cores, reserves memory for the Go heap
// under a memory limit, measures memory, and describes the program's build. It imports only the
// standard library, so every package may import it.
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

// DeviceNames lists the device names, for messages. "cuda" is the first CUDA device. "auto" is the
// first CUDA device if it can be used, and otherwise the CPU.
const DeviceNames = `"auto", "cpu", "cuda", or "cuda:N" with N from 0 to 63`

// Auto and CPU are device names that have no index.
const (
	Auto = "auto"
	CPU  = "cpu"
)

// maxIndex is the highest N in "cuda:N". It is well within the eight bits in which libtorch stores
// an index, and no machine has that many devices. DeviceNames also contains this number.
const maxIndex = 63

// Device is a parsed device name.
type Device struct {
	Auto  bool
	Index int // index of the CUDA device, or -1 for the CPU; with Auto, the device to try
}

// ParseDevice parses a device name. "" means "auto".
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

// CUDAName returns the name of the CUDA device with an index, or "cpu" for -1.
func CUDAName(index int) string {
	if index < 0 {
		return CPU
	}
	return "cuda:" + strconv.Itoa(index)
}

// DeviceKind returns a device's name without its index: "cpu" or "cuda".
func DeviceKind(name string) string {
	kind, _, _ := strings.Cut(name, ":")
	return kind
}

// HoldHeap reserves address space for the Go heap if there is an address space limit (ulimit -v,
// SGE's h_vmem). It must run before anything else takes the space. At the limit, an allocation in
// libtorch returns an error that names the cause, but an allocation in the Go runtime ends the
// program with a dump. So libtorch should reach the limit first. HoldHeap cannot reserve the
// runtime's own bookkeeping, which grows by some 256 kB at a time.
func HoldHeap() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur == math.MaxUint64 {
		return
	}
	var used uint64 // pages
	raw, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(raw), &used)
	}
	if used *= uint64(os.Getpagesize()); err != nil || used > limit.Cur {
		return
	}
	const step = 64 << 20 // the heap grows in steps of this size
	size := int(min((limit.Cur-used)/3, 1<<30) / step * step)
	probe, err := syscall.Mmap(-1, 0, size+step, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if size == 0 || err != nil {
		return
	}
	_ = syscall.Munmap(probe) // cannot fail: probe is from Mmap
	runtime.KeepAlive(make([]byte, size-step/2))
	runtime.GC() // frees the slice, but the heap keeps its address space
}

// Parallel calls f with each number from 0 to n-1, on all cores, and returns when all calls have
// returned.
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

// Release is the version of the program. CHANGELOG.md and CITATION.cff name it too.
const Release = "0.1.0"

// Build is the build information in the binary. Missing values are empty.
type Build struct {
	Commit   string // full git hash
	Modified bool   // set if the working tree had uncommitted changes
}

// ReadBuild returns the binary's build information. If there is none, ok is false.
func ReadBuild() (i Build, ok bool) {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return i, false
	}
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
