package torch

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// printCPU asks the test binary for what its kernels use (see TestMain).
const printCPU = "SMLM_EXP_PRINT_CPU"

// capped returns what kernels use in a process with these switches and no others.
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

// TestCapability: kernels use what the CPU has, less what any library's switch takes away; a switch
// adds nothing, and one that a library does not know means nothing.
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
		bf16     bool // left where the CPU has it
	}{
		{"ATEN_CPU_CAPABILITY=default", "SSE2", false},
		{"ATEN_CPU_CAPABILITY=avx2", "AVX2", false},
		{"ATEN_CPU_CAPABILITY=avx512", "AVX512", true},
		{"ATEN_CPU_CAPABILITY=abacus", "AVX512", true},
		{"ONEDNN_MAX_CPU_ISA=SSE41", "SSE2", false},
		{"ONEDNN_MAX_CPU_ISA=AVX", "SSE2", false},
		{"ONEDNN_MAX_CPU_ISA=avx2", "AVX2", false},
		{"ONEDNN_MAX_CPU_ISA=AVX2_VNNI", "AVX2", false},
		{"ONEDNN_MAX_CPU_ISA=AVX512_CORE", "AVX512", false},
		{"ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI", "AVX512", false},
		{"ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16", "AVX512", true},
		{"ONEDNN_MAX_CPU_ISA=AVX512_CORE_AMX", "AVX512", true},
		{"ONEDNN_MAX_CPU_ISA=ALL", "AVX512", true},
		{"DNNL_MAX_CPU_ISA=AVX2", "AVX2", false},
		{"ONEDNN_MAX_CPU_ISA=ALL DNNL_MAX_CPU_ISA=AVX2", "AVX512", true},
		{"MKL_ENABLE_INSTRUCTIONS=SSE4_2", "SSE2", false},
		{"MKL_ENABLE_INSTRUCTIONS=AVX2", "AVX2", false},
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
