package torch

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// DeviceInfo describes a device.
type DeviceInfo struct {
	Name    string // "cpu", "cuda:0"
	Model   string // "NVIDIA H100 80GB HBM3"; of the CPU the instruction set libtorch chose
	Memory  int64  // bytes in all, 0 = unknown
	Compute string // CUDA compute capability, "9.0"
	BF16    bool   // bfloat16 products in hardware
}

// Driver is what NVIDIA's driver says, asked without libtorch.
type Driver struct {
	Devices []DeviceInfo
	CUDA    string // newest version of CUDA it supports, "13.0"; "" without a driver
	Why     string // a clause why there is no device, "" where there is one
}

// AskDriver returns what NVIDIA's driver says of the CUDA devices; it is asked once.
var AskDriver = sync.OnceValue(func() Driver {
	var s Driver
	var n, version C.int
	if msg := C.shim_cuda_driver(&n, &version); msg != nil {
		s.Why = takeString(unsafe.Pointer(msg))
	}
	if version > 0 {
		s.CUDA = fmt.Sprintf("%d.%d", version/1000, version%1000/10)
	}
	for i := range int(n) {
		var name [256]C.char
		var memory C.int64_t
		var major, minor C.int
		d := DeviceInfo{Name: machine.CUDAName(i)}
		if msg := C.shim_cuda_device(C.int(i), &name[0], C.int(len(name)), &memory, &major, &minor); msg != nil {
			d.Model = takeString(unsafe.Pointer(msg))
		} else {
			d.Model, d.Memory = C.GoString(&name[0]), int64(memory)
			d.Compute, d.BF16 = fmt.Sprintf("%d.%d", major, minor), major >= 8
		}
		s.Devices = append(s.Devices, d)
	}
	return s
})

// Devices lists what a tensor may live on, the CPU first. A CUDA device in the list may still be
// unusable: SetDevice tells.
func Devices() []DeviceInfo { return append([]DeviceInfo{cpuInfo()}, AskDriver().Devices...) }

// LibtorchPath returns the file this process has loaded libtorch_cpu from, "" where the system does
// not tell.
func LibtorchPath() string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	return mappedFile(string(maps), "libtorch_cpu.so")
}

// mappedFile returns the path of the first mapped file of this name in the text of /proc/PID/maps.
func mappedFile(maps, name string) string {
	for line := range strings.Lines(maps) {
		if i := strings.IndexByte(line, '/'); i >= 0 && strings.HasSuffix(strings.TrimSpace(line), "/"+name) {
			return strings.TrimSpace(line[i:])
		}
	}
	return ""
}

var cudaLoad struct {
	sync.Once
	path, why string
}

// LoadCUDA opens the libtorch_cuda that lies beside libtorch_cpu, once, whether there is a device
// or not. It returns its path, "" where this libtorch has none, and a clause why it cannot be used.
// Called before any other work it lets SetDevice change to CUDA later.
func LoadCUDA() (path, why string) {
	l := &cudaLoad
	l.Do(func() {
		dir := filepath.Dir(LibtorchPath())
		l.path = filepath.Join(dir, "libtorch_cuda.so")
		if _, err := os.Stat(l.path); err != nil {
			l.path = ""
			l.why = fmt.Sprintf("the libtorch in %s has no CUDA (see docs/install.md, \"On a GPU machine\")", dir)
			return
		}
		var ok bool
		if ok, l.why = openCUDA(l.path); !ok {
			l.why = "libtorch_cuda does not load: " + l.why
		}
	})
	return l.path, l.why
}

// TryCUDA computes something on the CUDA device of an index and makes it the torch thread's; it
// returns why it cannot in libtorch's own words, "" where it can. LoadCUDA must have succeeded.
func TryCUDA(index int) (why string) {
	_ = Run(func() error {
		if msg := C.shim_cuda_use(C.int(index)); msg != nil {
			why = sentence(takeString(unsafe.Pointer(msg)))
		}
		return nil
	})
	return why
}

// sentence is the first sentence of what libtorch says, to stand in a longer one: without its
// capital, its full stop and the C++ stack.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, "\nException raised from")
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text, _, _ = strings.Cut(text, ". ")
	text = strings.TrimSuffix(text, ".")
	if len(text) > 1 && text[1] >= 'a' { // "The driver", but not "CUDA error"
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return text
}
