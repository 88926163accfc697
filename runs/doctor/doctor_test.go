package doctor

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestExamine: each fact has one line, and the workspace is not changed.
func TestExamine(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := Examine(&out, dir); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`(?m)^libtorch +2\.[0-9.]+ \(/`, `(?m)^CUDA +\S`, `(?m)^cpu +.* cores?, .* threads? of libtorch.*, precision = "auto" is `,
		`(?m)^WordNet +\S`, `(?m)^Slurm +\S`, `(?m)^memory +[\d.]+ [MG]B available$`, `(?m)^workspace +".*" can be written, .* free$`,
	} {
		if !regexp.MustCompile(line).MatchString(out.String()) {
			t.Errorf("no line is like %s:\n%s", line, out.String())
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// TestCUDA: the line about CUDA says what is missing to use a GPU.
func TestCUDA(t *testing.T) {
	for want, got := range map[string]string{
		"libtorch_cuda loads (/x); the NVIDIA driver supports CUDA 13.0": cuda("/x", "", torch.Driver{CUDA: "13.0"}),
		"no CUDA; the NVIDIA driver supports CUDA 13.0":                  cuda("", "no CUDA", torch.Driver{CUDA: "13.0"}),
		"no CUDA; no NVIDIA driver is installed": cuda("", "no CUDA", torch.Driver{
			Why: "no NVIDIA driver is installed",
		}),
		"libtorch_cuda loads (/x); it finds no device, the driver supports CUDA 13.0": cuda("/x", "", torch.Driver{
			CUDA: "13.0", Why: "it finds no device",
		}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFolder: if the workspace's folder does not exist yet, the line about the workspace says
// whether the current folder can be written. If the workspace's folder cannot be written, the line
// says so.
func TestFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := folder("none"); !strings.HasPrefix(got, `"none" does not exist yet; the folder for it can be written`) {
		t.Error(got)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := folder(file); !strings.Contains(got, "cannot be written: ") {
		t.Error(got)
	}
}
