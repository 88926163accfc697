package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// PyTorch returns the first Python that has PyTorch and safetensors, or "". It tries BENCH_PYTHON,
// the one that `make bench` installed, and the system's.
var PyTorch = sync.OnceValue(func() string {
	cache := os.Getenv("SMLM_EXP_CACHE")
	if cache == "" {
		base, _ := os.UserCacheDir() // with an empty path, the file is not found below
		cache = filepath.Join(base, "smlm-exp")
	}
	for _, p := range []string{os.Getenv("BENCH_PYTHON"), filepath.Join(cache, "bench-venv", "bin", "python"), "python3"} {
		if p != "" && exec.Command(p, "-c", "import torch, safetensors").Run() == nil {
			return p
		}
	}
	return ""
})
