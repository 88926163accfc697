package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// pythons are where a Python with PyTorch may be: named by the caller, made by make bench, or the
// system's.
func pythons() []string {
	cache := os.Getenv("SMLM_EXP_CACHE")
	if cache == "" {
		base, _ := os.UserCacheDir() // an empty path is not found below
		cache = filepath.Join(base, "smlm-exp")
	}
	return []string{os.Getenv("BENCH_PYTHON"), filepath.Join(cache, "bench-venv", "bin", "python"), "python3"}
}

// thePlain is the other side, started by the first test that wants it.
var thePlain struct {
	once sync.Once
	*process
	dir string
	err error
}

// TestMain ends the other side after all tests, and lets the test binary be our worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		serve(os.Stdin, os.Stdout)
		return
	}
	code := m.Run()
	if thePlain.process != nil {
		thePlain.Stop()
	}
	os.RemoveAll(thePlain.dir)
	os.Exit(code)
}

// found is the first Python that has what the rows of models need, or "".
var found = sync.OnceValue(func() string {
	for _, p := range pythons() {
		if p != "" && exec.Command(p, "-c", "import torch, safetensors").Run() == nil {
			return p
		}
	}
	return ""
})

// python returns that Python, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	if found() == "" {
		t.Skip("needs a Python with PyTorch and safetensors: make bench makes one, or name one in BENCH_PYTHON")
	}
	return found()
}

// plainWorker returns the other side, or skips the test where there is no PyTorch.
func plainWorker(t *testing.T) *process {
	t.Helper()
	program := python(t)
	thePlain.once.Do(func() {
		var script string
		if thePlain.dir, thePlain.err = os.MkdirTemp("", "bench-test-"); thePlain.err != nil {
			return
		}
		if script, thePlain.err = unpack(thePlain.dir); thePlain.err != nil {
			return
		}
		thePlain.process, thePlain.err = startProcess(context.Background(), "plain PyTorch", nil, program, script)
	})
	if thePlain.err != nil {
		t.Fatal(thePlain.err)
	}
	return thePlain.process
}

// mustAsk wants a reply of the other side.
func mustAsk(t *testing.T, p *process, q request) reply {
	t.Helper()
	a, err := p.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// must wants a reply of our side.
func must(t *testing.T, a reply, err error) reply {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// self is this test binary, which is our worker when it is called so.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
