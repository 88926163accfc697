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

// currentDevice is the CUDA index of the current device, or onCPU. SetDevice sets it.
var currentDevice atomic.Int32

func init() { currentDevice.Store(onCPU) }

// SetDevice chooses the device on which new tensors are created. Existing tensors stay where they
// are. name is a device name of package machine. "auto" is the first CUDA device if it can be used,
// and otherwise the CPU. For an invalid name, the error is userr.BadInput. For a device that is
// missing or does not work, the error is userr.NoTorch, and errors.Unwrap returns the reason alone.
// Call SetDevice before any other work, because libtorch looks for CUDA only once.
func SetDevice(name string) error {
	choice, err := machine.ParseDevice(name)
	if err != nil {
		return userr.New(userr.BadInput, "devices %w", err)
	}
	index := choice.Index
	if index != onCPU {
		switch reason := useCUDA(index, choice.Auto); {
		case reason != "" && choice.Auto:
			index = onCPU
		case reason != "":
			return userr.New(
				userr.NoTorch, "devices is %q, but %w: see the output of `smlm-exp doctor`, or set devices to "+
					`"cpu"`,
				name, errors.New(reason),
			)
		}
	}
	currentDevice.Store(int32(index))
	return nil
}

// useCUDA prepares a CUDA device. If the device cannot be used, useCUDA returns the reason. If the
// machine has no such device, useCUDA does not load libtorch_cuda.
func useCUDA(index int, auto bool) (reason string) {
	s := AskDriver()
	switch n := len(s.Devices); {
	case n == 0:
		return s.Why
	case index >= n:
		return "the last CUDA device is " + machine.CUDAName(n-1)
	}
	if _, reason = LoadCUDA(); reason == "" {
		reason = TryCUDA(index)
	}
	if reason != "" && auto {
		passedOver.Store(&reason)
	}
	return reason
}

// passedOver is the reason why "auto" chose the CPU although there is a CUDA device.
var passedOver atomic.Pointer[string]

// WhyNotCUDA says why "auto" chose the CPU although there is a CUDA device, or returns "". Users
// should know the reason, because training on the CPU is slow.
func WhyNotCUDA() string {
	if s := passedOver.Load(); s != nil && !OnCUDA() {
		return *s
	}
	return ""
}

// Device returns the name of the device on which new tensors are created, such as "cpu" or
// "cuda:0".
func Device() string { return machine.CUDAName(deviceIndex()) }

// GPU returns the model of the current CUDA device, such as "NVIDIA H100 80GB HBM3", or "" on the
// CPU.
func GPU() string {
	if !OnCUDA() {
		return ""
	}
	return AskDriver().Devices[deviceIndex()].Model
}

// OnCUDA reports whether new tensors are created on a CUDA device. If so, reading a value (Item,
// Floats, Ints) waits for all work that was queued before.
func OnCUDA() bool { return deviceIndex() != onCPU }

func deviceIndex() int { return int(currentDevice.Load()) }

// WhyNoBF16 says why the current device cannot compute bfloat16 products. It returns "" if the
// device can compute them, even slowly. If the CPU has bfloat16 instructions, libtorch calls oneDNN
// for such products. But oneDNN fails if one of its environment variables (such as
// ONEDNN_MAX_CPU_ISA) forbids these instructions.
func WhyNoBF16() string {
	if OnCUDA() {
		return ""
	}
	var makes bool
	_ = Run(func() error { makes = kernels.MakesBF16(); return nil }) // cannot fail
	if makes {
		return ""
	}
	reason := "libtorch's bfloat16 products fail on this CPU"
	for _, name := range []string{"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"} {
		if v := os.Getenv(name); v != "" {
			return reason + ", and oneDNN is limited by " + name + "=" + v
		}
	}
	return reason
}

// HasBF16 reports whether the current device multiplies bfloat16 matrices in hardware. This is so
// on CUDA devices of compute capability 8.0 (Ampere) or newer, and on CPUs with avx512_bf16, unless
// an environment variable of a library disables it. On other devices, bfloat16 products are slower
// than float32 products.
func HasBF16() bool {
	if i := deviceIndex(); i != onCPU {
		return AskDriver().Devices[i].BF16
	}
	return kernels.BF16()
}

// FasterInBF16 reports whether training on the current device is faster with bfloat16 products. It
// is faster on a GPU that has these products in hardware, on a CPU with amx_bf16, and on an AMD CPU
// with avx512_bf16. On an Intel CPU with avx512_bf16 but without amx_bf16, training took 1.8 times
// as long (docs/results/speed.md).
func FasterInBF16() bool {
	if OnCUDA() {
		return HasBF16()
	}
	return HasBF16() && (cpu.X86.HasAMXBF16 || isAMD()) && WhyNoBF16() == ""
}

// isAMD reports whether AMD made the CPU.
func isAMD() bool {
	info, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && bytes.Contains(info, []byte("AuthenticAMD"))
}

// DeviceInfo describes a device.
type DeviceInfo struct {
	Name    string // such as "cpu" or "cuda:0"
	Model   string // such as "NVIDIA H100 80GB HBM3"; for the CPU, the instruction set in use
	Memory  int64  // total memory in bytes; 0 if unknown
	Compute string // CUDA compute capability, such as "9.0"
	BF16    bool   // set if the hardware multiplies bfloat16
}

// Driver is what NVIDIA's driver reports. libtorch is not needed to read it.
type Driver struct {
	Devices []DeviceInfo
	CUDA    string // newest CUDA version that the driver supports, such as "13.0"; "" without a driver
	Why     string // a clause that says why there is no device; "" if there is one
}

// AskDriver asks NVIDIA's driver about the CUDA devices, once per process.
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

// Devices lists all devices, the CPU first. A CUDA device in the list may still be unusable. Only
// SetDevice finds this out.
func Devices() []DeviceInfo { return append([]DeviceInfo{cpuInfo()}, AskDriver().Devices...) }

// LibtorchPath returns the path of the file from which this process loaded libtorch_cpu, or "" if
// it is unknown.
func LibtorchPath() string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	return mappedFile(string(maps), "libtorch_cpu.so")
}

// mappedFile returns the path of the first mapped file with this name. maps is the text of
// /proc/PID/maps.
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
	path, reason string
}

// LoadCUDA opens libtorch_cuda, which is in the folder of libtorch_cpu. It does so once per
// process, even on a machine without a CUDA device. path is the path of libtorch_cuda, or "" if
// this libtorch has none. reason is a clause that says why libtorch_cuda cannot be used, or "". If
// SetDevice may change to CUDA later, call LoadCUDA before any other work.
func LoadCUDA() (path, reason string) {
	l := &cudaLoad
	l.Do(func() {
		dir := filepath.Dir(LibtorchPath())
		l.path = filepath.Join(dir, "libtorch_cuda.so")
		if _, err := os.Stat(l.path); err != nil {
			l.path = ""
			l.reason = fmt.Sprintf("the libtorch in %s has no CUDA (see docs/install.md, \"On a GPU machine\")", dir)
			return
		}
		var ok bool
		if ok, l.reason = openCUDA(l.path); !ok {
			l.reason = "libtorch_cuda cannot be loaded: " + l.reason
		}
	})
	return l.path, l.reason
}

// TryCUDA makes a CUDA device the device of the torch thread and computes something on it. If that
// fails, TryCUDA returns libtorch's reason, else "". LoadCUDA must have succeeded before.
func TryCUDA(index int) (reason string) {
	_ = Run(func() error {
		if msg := C.shim_cuda_use(C.int(index)); msg != nil {
			reason = sentence(takeString(unsafe.Pointer(msg)))
		}
		return nil
	})
	return reason
}

// sentence returns the first sentence of a libtorch message as a clause: without the capital letter
// at the start, the full stop and the C++ stack.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, "\nException raised from")
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text, _, _ = strings.Cut(text, ". ")
	text = strings.TrimSuffix(text, ".")
	if len(text) > 1 && text[1] >= 'a' { // lower-case "The driver", but not "CUDA error"
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
