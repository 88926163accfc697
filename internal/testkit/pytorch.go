package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// PyTorch returns the first Python interpreter that has PyTorch and safetensors, or "" if none has.
// It tries the interpreter in $BENCH_PYTHON, then the one that `make bench` installed, and then
// python3.
var PyTorch = sync.OnceValue(func() string {
	cache := os.Getenv("SMLM_EXP_CACHE")
	if cache == "" {
		base, _ := os.UserCacheDir() // after an error, base is "", and no interpreter is found there
		cache = filepath.Join(base, "smlm-exp")
	}
	for _, p := range []string{os.Getenv("BENCH_PYTHON"), filepath.Join(cache, "bench-venv", "bin", "python"), "python3"} {
		if p != "" && exec.Command(p, "-c", "import torch, safetensors").Run() == nil {
			return p
		}
	}
	return ""
})
