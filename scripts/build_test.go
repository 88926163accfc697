package scripts_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildWithoutLibtorch compiles internal/need as `go build` does. If libtorch is missing, the
// compiler must print how to install it.
func TestBuildWithoutLibtorch(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("g++ is missing")
	}
	source := filepath.Join(repo(t), "internal/need/need.cpp")
	out, err := exec.Command(compiler, "-std=c++17", "-fsyntax-only", source).CombinedOutput()
	if err == nil {
		t.Skip("this machine has libtorch among its system headers")
	}
	if !strings.Contains(string(out), "libtorch is not set up: run ./install-libtorch.sh") {
		t.Errorf("the compiler stops with another message:\n%s", out)
	}
	m := newMachine(t)
	m.libtorchAt(m.cache, "2.1.2", "1")
	include := filepath.Join(m.cache, "include/torch/csrc/api/include")
	out, err = exec.Command(compiler, "-std=c++17", "-fsyntax-only", "-I"+include, source).CombinedOutput()
	if err != nil {
		t.Errorf("the check fails although torch/torch.h is there: %v\n%s", err, out)
	}
}

func TestMakeHelp(t *testing.T) {
	m := newMachine(t)
	got := m.run(filepath.Join(m.bin, "make"), "-C", repo(t), "--no-print-directory")
	got.wants(t, 0, "make demo", "make build", "make test", "make lint", "make clean", "LIBTORCH_VERSION=2.1.2")
}

func TestMakeWithoutGo(t *testing.T) {
	m := newMachine(t, "go")
	got := m.run(filepath.Join(m.bin, "make"), "-C", repo(t), "build")
	got.wants(t, 2, "go is missing: install Go 1.26.0 or newer")
	m.program("go", `case $1 in env) exit 2 ;; *) echo go version go1.19.8 linux/amd64 ;; esac`)
	m.run(filepath.Join(m.bin, "make"), "-C", repo(t), "build").wants(t, 2, "go is too old, go1.19.8")
	m.program("go", `echo go1.25.4`)
	m.run(filepath.Join(m.bin, "make"), "-C", repo(t), "build").wants(t, 2, "go is too old, go1.25.4")
	// go1.27rc1 is new enough, so make goes on and finds that pip is missing.
	m.program("go", `echo go1.27rc1`)
	m.run(filepath.Join(m.bin, "make"), "-C", repo(t), "build").wants(t, 2, "missing: pip")
}
