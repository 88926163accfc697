package torch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestMain opens libtorch_cuda first if there is a device. libtorch looks for CUDA only once, and
// any test could trigger this search before the library is open.
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

// TestSetDevice checks that the CPU is always available, that a wrong name gives a BadInput error,
// and that an absent device gives a NoTorch error.
func TestSetDevice(t *testing.T) {
	t.Cleanup(func() { _ = SetDevice("cpu") })
	if err := SetDevice("cpu"); err != nil || Device() != "cpu" || OnCUDA() || GPU() != "" {
		t.Errorf("cpu: %v, device %q", err, Device())
	}
	if HasBF16() != kernels.BF16() {
		t.Error("HasBF16 on the CPU is not the CPU's")
	}
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

// TestWhyNoBF16 checks that bfloat16 products fail if WhyNoBF16 gives a reason, and work if it
// gives none. If the hardware has bfloat16, there must be no reason.
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

// TestAutoWithoutCUDA checks that "auto" selects the CPU, without a message, if there is no CUDA
// device.
func TestAutoWithoutCUDA(t *testing.T) {
	if n := len(AskDriver().Devices); n > 0 {
		t.Skipf("there are %d CUDA devices", n)
	}
	for _, name := range []string{"auto", ""} {
		if err := SetDevice(name); err != nil || Device() != "cpu" {
			t.Errorf("%q: %v, device %q", name, err, Device())
		}
	}
	if why := WhyNotCUDA(); why != "" {
		t.Errorf("passed over a device: %s", why)
	}
	if AskDriver().Why == "" {
		t.Error("nothing says why there is no device")
	}
}

// TestDevices checks that the CPU is the first device, and that its memory is known.
func TestDevices(t *testing.T) {
	ds := Devices()
	if ds[0].Name != "cpu" || ds[0].Model == "" || ds[0].Memory < 1<<28 {
		t.Errorf("the first device is %+v", ds[0])
	}
	if len(ds) != 1+len(AskDriver().Devices) {
		t.Errorf("%d devices, the driver has %d", len(ds), len(AskDriver().Devices))
	}
}

// TestLoadCUDA checks that LoadCUDA finds libtorch_cuda if the file exists. If it does not, the
// reason must name the folder.
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

// TestRNGStateRefused checks that a restored state can be read back unchanged, and that the state
// of another kind of device is refused.
func TestRNGStateRefused(t *testing.T) {
	onTorch(t, func() error {
		Seed(5)
		state := RNGState()
		randn(10)
		if bytes.Equal(RNGState(), state) {
			t.Error("a draw leaves the state as it was")
		}
		if SetRNGState(state); !bytes.Equal(RNGState(), state) {
			t.Error("the restored state is another")
		}
		for _, wrong := range [][]byte{nil, state[1:], append(bytes.Clone(state), make([]byte, 16)...)} {
			err := Scoped(func() error { SetRNGState(wrong); return nil })
			wantOpError(t, err, "set rng state", "another kind of device")
		}
		return nil
	})
}

// TestMappedFile checks that mappedFile finds a library by its file name, even if the path contains
// spaces.
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

// printCPU is an environment variable. If it is set, TestMain prints which CPU instructions the
// kernels use, and exits.
const printCPU = "SMLM_EXP_PRINT_CPU"

// capped runs this test binary with the given environment variables and returns which CPU
// instructions its kernels use. Other variables that limit instructions are removed.
func capped(t *testing.T, switches ...string) (capability string, bf16 bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS":
		default:
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, append(switches, printCPU+"=1")...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(out))
	return fields[0], fields[1] == "true"
}

// TestCapability checks that the kernels use all instructions of the CPU, except those that an
// environment variable of a library disables. Such a variable never enables anything, and a value
// that the library does not know has no effect.
func TestCapability(t *testing.T) {
	levels := []string{"SSE2", "AVX2", "AVX512"}
	most, bf16 := capped(t)
	at := func(name string) int {
		for i, l := range levels {
			if l == name {
				return i
			}
		}
		t.Fatalf("no instructions are called %q", name)
		return 0
	}
	for _, c := range []struct {
		switches string
		cap      string
		bf16     bool // set if the switches leave bfloat16 on
	}{
		{"ATEN_CPU_CAPABILITY=default", "SSE2", false},
		{"ATEN_CPU_CAPABILITY=avx2", "AVX2", false},
		{"ATEN_CPU_CAPABILITY=abacus", "AVX512", true},
		{"ONEDNN_MAX_CPU_ISA=SSE41", "SSE2", false},
		{"ONEDNN_MAX_CPU_ISA=AVX2_VNNI", "AVX2", false},
		{"ONEDNN_MAX_CPU_ISA=AVX512_CORE", "AVX512", false},
		{"ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16", "AVX512", true},
		{"ONEDNN_MAX_CPU_ISA=ALL DNNL_MAX_CPU_ISA=AVX2", "AVX512", true},
		{"MKL_ENABLE_INSTRUCTIONS=SSE4_2", "SSE2", false},
		{"MKL_ENABLE_INSTRUCTIONS=AVX512_E1", "AVX512", true},
		{"ATEN_CPU_CAPABILITY=avx512 MKL_ENABLE_INSTRUCTIONS=AVX2", "AVX2", false},
	} {
		got, half := capped(t, strings.Fields(c.switches)...)
		if want := levels[min(at(most), at(c.cap))]; got != want || half != (bf16 && c.bf16) {
			t.Errorf(
				"%s: %s, bfloat16 %t, want %s, %t; without it %s, %t",
				c.switches,
				got,
				half,
				want,
				bf16 && c.bf16,
				most,
				bf16,
			)
		}
	}
}
