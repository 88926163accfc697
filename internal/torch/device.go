package torch

/*
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"golang.org/x/sys/cpu"
)

// currentDevice is the CUDA index of the current device, or onCPU. SetDevice writes it.
var currentDevice atomic.Int32

func init() { currentDevice.Store(onCPU) }

// SetDevice chooses the device of new tensors, by a name as in package machine; existing tensors
// stay where they are. "auto" is the first CUDA device that can be used, else the CPU. An invalid
// name gives userr.BadInput. A device that is missing or does not work gives userr.NoTorch; the
// cause of that error is only the reason. The first call should come before any work: libtorch
// looks for CUDA once.
func SetDevice(name string) error {
	choice, err := machine.ParseDevice(name)
	if err != nil {
		return userr.New(userr.BadInput, "devices %w", err)
	}
	index := choice.Index
	if index != onCPU {
		switch why := useCUDA(index, choice.Auto); {
		case why != "" && choice.Auto:
			index = onCPU
		case why != "":
			return userr.New(
				userr.NoTorch, "devices is %q, but %w: see the output of `smlm-exp doctor`, or set devices to "+
					`"cpu"`,
				name, errors.New(why),
			)
		}
	}
	currentDevice.Store(int32(index))
	return nil
}

// useCUDA prepares a CUDA device, or says why it cannot be used. A machine without one does not
// load libtorch_cuda.
func useCUDA(index int, auto bool) (why string) {
	s := AskDriver()
	switch n := len(s.Devices); {
	case n == 0:
		return s.Why
	case index >= n:
		return "the last CUDA device is " + machine.CUDAName(n-1)
	}
	if _, why = LoadCUDA(); why == "" {
		why = TryCUDA(index)
	}
	if why != "" && auto {
		passedOver.Store(&why)
	}
	return why
}

// passedOver is why "auto" passed over an existing device.
var passedOver atomic.Pointer[string]

// PassedOver says why "auto" did not take an existing CUDA device, or returns "". Training on the
// CPU is then slow for a reason that users should know.
func PassedOver() string {
	if s := passedOver.Load(); s != nil && !OnCUDA() {
		return *s
	}
	return ""
}

// Device returns where tensors are made: "cpu", "cuda:0", ...
func Device() string { return machine.CUDAName(deviceIndex()) }

// GPU returns the model of the current CUDA device, such as "NVIDIA H100 80GB HBM3"; "" on the CPU.
func GPU() string {
	if !OnCUDA() {
		return ""
	}
	return AskDriver().Devices[deviceIndex()].Model
}

// OnCUDA tells whether tensors are made on a CUDA device. Reading a value (Item, Floats, Ints) then
// waits for all work queued before.
func OnCUDA() bool { return deviceIndex() != onCPU }

func deviceIndex() int { return int(currentDevice.Load()) }

// WhyNoBF16 says why the current device cannot make bfloat16 products at all, or returns "" if it
// can, however slowly. libtorch looks only at the CPU's instructions, but oneDNN also at a switch
// of its own. So libtorch may ask oneDNN for a product that it cannot make.
func WhyNoBF16() string {
	if OnCUDA() {
		return ""
	}
	var makes bool
	_ = Run(func() error { makes = kernels.MakesBF16(); return nil }) // it cannot fail
	if makes {
		return ""
	}
	why := "libtorch's bfloat16 products fail on this CPU"
	for _, name := range []string{"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"} {
		if v := os.Getenv(name); v != "" {
			return why + ", and oneDNN is limited by " + name + "=" + v
		}
	}
	return why
}

// HasBF16 tells whether the current device multiplies bfloat16 matrices in hardware: a CPU with
// avx512_bf16 that no library's switch hides, or a CUDA device of compute capability 8.0 (Ampere)
// or newer. Without it, bfloat16 products are slower than float32 ones.
func HasBF16() bool {
	if i := deviceIndex(); i != onCPU {
		return AskDriver().Devices[i].BF16
	}
	return kernels.BF16()
}

// FasterInBF16 tells whether a training takes less time with bfloat16 products on the current
// device: on a GPU that has them, on a CPU with amx_bf16, and on an AMD CPU with avx512_bf16. On an
// Intel CPU with avx512_bf16 alone, training took 1.8 times as long (docs/results/speed.md).
func FasterInBF16() bool {
	if OnCUDA() {
		return HasBF16()
	}
	return HasBF16() && (cpu.X86.HasAMXBF16 || isAMD()) && WhyNoBF16() == ""
}

// isAMD tells whether AMD made the CPU.
func isAMD() bool {
	info, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && bytes.Contains(info, []byte("AuthenticAMD"))
}

// DeviceInfo describes a device.
type DeviceInfo struct {
	Name    string // "cpu", "cuda:0"
	Model   string // "NVIDIA H100 80GB HBM3"; for the CPU the instruction set in use
	Memory  int64  // bytes in all, 0 = unknown
	Compute string // CUDA compute capability, "9.0"
	BF16    bool   // bfloat16 products in hardware
}

// Driver is what NVIDIA's driver reports, read without libtorch.
type Driver struct {
	Devices []DeviceInfo
	CUDA    string // newest version of CUDA it supports, "13.0"; "" without a driver
	Why     string // why there is no device, as a clause; "" if there is one
}

// AskDriver asks NVIDIA's driver about the CUDA devices, once.
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

// Devices lists the devices for tensors, the CPU first. A listed CUDA device may still be unusable:
// SetDevice tells.
func Devices() []DeviceInfo { return append([]DeviceInfo{cpuInfo()}, AskDriver().Devices...) }

// LibtorchPath returns the file from which this process loaded libtorch_cpu, "" if the system does
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

// LoadCUDA opens libtorch_cuda in the folder of libtorch_cpu, once, even without a device. It
// returns its path, or "" if this libtorch has none. why says in a clause why it cannot be used, or
// is "". Call it before any other work to let SetDevice change to CUDA later.
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
			l.why = "libtorch_cuda cannot be loaded: " + l.why
		}
	})
	return l.path, l.why
}

// TryCUDA makes a CUDA device the torch thread's device and computes something on it. It returns
// libtorch's reason if that fails, else "". LoadCUDA must have succeeded.
func TryCUDA(index int) (why string) {
	_ = Run(func() error {
		if msg := C.shim_cuda_use(C.int(index)); msg != nil {
			why = sentence(takeString(unsafe.Pointer(msg)))
		}
		return nil
	})
	return why
}

// sentence returns the first sentence of a libtorch message as a clause: without its capital, its
// full stop and the C++ stack.
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

// cpuInfo describes the CPU.
func cpuInfo() DeviceInfo {
	d := DeviceInfo{Name: machine.CPU, Model: CPUCapability(), BF16: kernels.BF16()}
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) == nil {
		d.Memory = int64(s.Totalram) * int64(s.Unit)
	}
	return d
}
