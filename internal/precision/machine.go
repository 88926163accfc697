package precision

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Machine is what a timing depends on beside the part: on another one it is measured anew.
type Machine struct {
	CPU          string `json:"cpu"`
	Flags        string `json:"flags"` // a digest of family, model, stepping and instructions
	Instructions string `json:"instructions"`
	Libtorch     string `json:"libtorch"`
	Threads      int    `json:"threads"`
	// Switches are the environment variables that hold a library back, by name.
	Switches map[string]string `json:"switches,omitempty"`
}

// switches are the variables that docs/cpus.md lists, and what chooses among libraries.
var switches = []string{
	"ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR",
	"ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE",
}

// here is this machine, as the process sees it. Call it on the torch thread.
func here() Machine {
	m := Machine{
		CPU: runtime.GOARCH, Instructions: torch.CPUCapability(), Libtorch: torch.Version(), Threads: torch.Threads(),
		Switches: switched(os.Getenv),
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU, m.Flags = described(string(text))
	}
	return m
}

// switched returns the switches that are set.
func switched(env func(string) string) map[string]string {
	set := map[string]string{}
	for _, name := range switches {
		if v := env(name); v != "" {
			set[name] = v
		}
	}
	return set
}

// described returns the model of the first processor of /proc/cpuinfo, and a digest of what else
// tells CPUs apart: virtual machines call different ones by the same name.
func described(cpuinfo string) (model, flags string) {
	first, _, _ := strings.Cut(cpuinfo, "\n\n")
	h := sha256.New()
	for line := range strings.Lines(first) {
		name, value, _ := strings.Cut(line, ":")
		switch name = strings.TrimSpace(name); name {
		case "model name":
			model = strings.TrimSpace(value)
		case "vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU implementer", "CPU part":
			h.Write([]byte(line))
		}
	}
	return model, hex.EncodeToString(h.Sum(nil))[:16]
}
