package torch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestMain opens libtorch_cuda where there is a device: libtorch looks for CUDA once, perhaps in a
// test that needs none.
func TestMain(m *testing.M) {
	if os.Getenv(printCPU) != "" {
		fmt.Println(CPUCapability(), kernels.BF16())
		os.Exit(0)
	}
	if len(AskDriver().Devices) > 0 {
		LoadCUDA()
	}
	os.Exit(m.Run())
}

// TestSetDevice: the CPU is always there, a wrong name is the user's mistake, and a device that is
// not there is a missing device.
func TestSetDevice(t *testing.T) {
	t.Cleanup(func() { _ = SetDevice("cpu") })
	if err := SetDevice("cpu"); err != nil || Device() != "cpu" || OnCUDA() || GPU() != "" {
		t.Errorf("cpu: %v, device %q", err, Device())
	}
	if HasBF16() != kernels.BF16() {
		t.Error("HasBF16 on the CPU is not the CPU's")
	}
	Synchronize() // nothing to wait for
	for name, code := range map[string]userr.Code{
		"gpu": userr.BadInput, "cuda:-1": userr.BadInput, "cuda:63": userr.NoTorch,
	} {
		err := SetDevice(name)
		if userr.CodeOf(err) != code || err == nil {
			t.Errorf("%s: error %v with code %d, want code %d", name, err, userr.CodeOf(err), code)
			continue
		}
		if !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(),
			"Exception raised") {
			t.Errorf("%s: not one sentence that names it: %q", name, err)
		}
		if Device() != "cpu" {
			t.Errorf("%s: refused, yet the device is %q now", name, Device())
		}
	}
}

// TestWhyNoBF16: where there is a reason products of bfloat16 fail, in the hardware too, and where
// there is none they come out.
func TestWhyNoBF16(t *testing.T) {
	onTorch(t, func() error {
		why := WhyNoBF16()
		err := Scoped(func() error {
			x := Ones(64, 64).To(BFloat16)
			if got := x.MatMul(x).To(Float).Sum().Item(); got != 64*64*64 {
				t.Errorf("a product of ones sums to %v", got)
			}
			return nil
		})
		if (why == "") != (err == nil) {
			t.Errorf("the reason is %q, and a product says: %v", why, err)
		}
		if why != "" && (HasBF16() || strings.Contains(why, "\n")) {
			t.Errorf("bfloat16 in hardware: %v, and yet %q", HasBF16(), why)
		}
		return nil
	})
}

// TestAutoWithoutCUDA: without a device "auto" is the CPU, and says nothing of it.
func TestAutoWithoutCUDA(t *testing.T) {
	if n := len(AskDriver().Devices); n > 0 {
		t.Skipf("there are %d CUDA devices", n)
	}
	for _, name := range []string{"auto", ""} {
		if err := SetDevice(name); err != nil || Device() != "cpu" {
			t.Errorf("%q: %v, device %q", name, err, Device())
		}
	}
	if why := PassedOver(); why != "" {
		t.Errorf("passed over a device: %s", why)
	}
	if AskDriver().Why == "" {
		t.Error("nothing says why there is no device")
	}
}

// TestDevices: the CPU is the first, with its memory.
func TestDevices(t *testing.T) {
	ds := Devices()
	if ds[0].Name != "cpu" || ds[0].Model == "" || ds[0].Memory < 1<<28 {
		t.Errorf("the first device is %+v", ds[0])
	}
	if len(ds) != 1+len(AskDriver().Devices) {
		t.Errorf("%d devices, the driver has %d", len(ds), len(AskDriver().Devices))
	}
}

// TestLoadCUDA: where libtorch has no CUDA that is said, with the folder; where it has, the file
// exists.
func TestLoadCUDA(t *testing.T) {
	path, why := LoadCUDA()
	_, err := os.Stat(filepath.Join(filepath.Dir(LibtorchPath()), "libtorch_cuda.so"))
	if (err == nil) != (path != "") {
		t.Errorf("libtorch_cuda is there: %v, found: %q", err == nil, path)
	}
	if path == "" && !strings.Contains(why, filepath.Dir(LibtorchPath())) {
		t.Errorf("the reason does not name the folder: %q", why)
	}
}

// TestRNGStateRefused: a state put back is the state got, and one of another kind of device is
// refused.
func TestRNGStateRefused(t *testing.T) {
	onTorch(t, func() error {
		Seed(5)
		state := RNGState()
		Randn(10)
		if bytes.Equal(RNGState(), state) {
			t.Error("a draw leaves the state as it was")
		}
		if SetRNGState(state); !bytes.Equal(RNGState(), state) {
			t.Error("the state put back is another")
		}
		for _, wrong := range [][]byte{nil, state[1:], append(bytes.Clone(state), make([]byte, 16)...)} {
			err := Scoped(func() error { SetRNGState(wrong); return nil })
			wantOpError(t, err, "set rng state", "another kind of device")
		}
		return nil
	})
}

// TestMappedFile: of what is mapped a library's file is found by its name, spaces and all.
func TestMappedFile(t *testing.T) {
	maps := "7f00-7f01 r--p 00000000 fe:00 12 /opt/x/lib/libc10.so\n7f02-7f03 r-xp 0 fe:00 13   /opt/x " +
		"y/lib/libtorch_cpu.so\n7f04-7f05 rw-p 0 00:00 0 \n"
	if got := mappedFile(maps, "libtorch_cpu.so"); got != "/opt/x y/lib/libtorch_cpu.so" {
		t.Errorf("found %q", got)
	}
	if got := mappedFile(maps, "libtorch_cuda.so"); got != "" {
		t.Errorf("found %q where there is none", got)
	}
}
