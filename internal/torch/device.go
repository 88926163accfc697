package torch

// #include "cuda.h"
import "C"

import (
	"errors"
	"os"
	"sync/atomic"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// current device: its CUDA index, or onCPU. Written on the torch thread, read anywhere.
var place atomic.Int32

func init() { place.Store(onCPU) }

// SetDevice chooses where tensors live that are made from now on, by a name of package device;
// those made before stay where they are. "auto" is the first CUDA device that can be used, else the
// CPU. A name that is none is userr.BadInput, a device that is not there or does not work
// userr.NoTorch, whose cause is the reason alone. The first call in a process should come before
// any work, since libtorch looks for CUDA once.
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
				userr.NoTorch, "devices is %q, but %w: see what `smlm-exp doctor` says, or set devices to \"cpu\"",
				name, errors.New(why),
			)
		}
	}
	place.Store(int32(index))
	return nil
}

// useCUDA makes a CUDA device ready, or says why it cannot be used. A machine without one does not
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
		note.Store(&why)
	}
	return why
}

// note is why "auto" passed over a device that is there.
var note atomic.Pointer[string]

// PassedOver says why "auto" did not take the CUDA device that the driver has, "" where there is
// none or it was taken. Training on the CPU then is slow for a reason that somebody should hear of.
func PassedOver() string {
	if s := note.Load(); s != nil && !OnCUDA() {
		return *s
	}
	return ""
}

// Device returns where tensors are made: "cpu", "cuda:0", ...
func Device() string { return machine.CUDAName(here()) }

// GPU returns the model of the current CUDA device, such as "NVIDIA H100 80GB HBM3"; "" on the CPU.
func GPU() string {
	if !OnCUDA() {
		return ""
	}
	return AskDriver().Devices[here()].Model
}

// OnCUDA tells whether tensors are made on a CUDA device. Reading a value (Item, Floats, Ints) then
// waits for all work queued before.
func OnCUDA() bool { return here() != onCPU }

func here() int { return int(place.Load()) }

// Synchronize waits until a CUDA device has done all that was queued; on the CPU everything is done
// already. For timings.
func Synchronize() {
	if OnCUDA() {
		must("synchronize", C.shim_cuda_sync(C.int(here())))
	}
}

// WhyNoBF16 says why the current device makes no bfloat16 products at all, "" where it does,
// however slowly: libtorch goes by the CPU's instructions and oneDNN by its own switch too, so that
// under that switch it has no product where libtorch counts on one.
func WhyNoBF16() string {
	if OnCUDA() {
		return ""
	}
	var makes bool
	_ = Run(func() error { makes = kernels.MakesBF16(); return nil }) // nothing in it can fail
	if makes {
		return ""
	}
	why := "libtorch's bfloat16 products fail on this CPU"
	for _, name := range []string{"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"} {
		if v := os.Getenv(name); v != "" {
			return why + ", where oneDNN is held back by " + name + "=" + v
		}
	}
	return why
}

// HasBF16 tells whether the current device multiplies bfloat16 matrices in hardware: a CPU with
// avx512_bf16 that no library's switch hides, a CUDA device of compute capability 8.0 (Ampere) or
// newer. Where it does not, bfloat16 products run slower than float32 ones.
func HasBF16() bool {
	if i := here(); i != onCPU {
		return AskDriver().Devices[i].BF16
	}
	return kernels.BF16()
}
