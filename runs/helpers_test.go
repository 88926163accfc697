package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// writeData makes a tiny data set of n sentences a file, with references, in dir.
func writeData(t testing.TB, dir string, n int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"train", "dev", "test", "reference"} {
		for style := range 2 {
			writeLines(t, filepath.Join(dir, fmt.Sprintf("%s.%d.txt", part, style)), n, fmt.Sprintf("%s words of style %d", part, style))
		}
	}
}

func writeLines(t testing.TB, path string, n int, text string) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s number %d\n", text, i)
	}
	write(t, path, b.String())
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// small is an experiment over the data of writeData in the folder "data" beside the file.
const small = `name = "small"
[datasets.tiny]
dir = "data"
[masking]
lambda_eps = [0.15, 0.5]
[smlm]
unmasked = ["copied"]
[metrics]
meteor = false # whether this machine has WordNet must not matter
`

// load writes text as an experiment file beside a tiny data set and loads it.
func load(t *testing.T, text string, set ...string) *Experiment {
	t.Helper()
	dir := t.TempDir()
	writeData(t, filepath.Join(dir, "data"), 3)
	return loadIn(t, dir, text, set...)
}

func loadIn(t *testing.T, dir, text string, set ...string) *Experiment {
	t.Helper()
	write(t, filepath.Join(dir, "e.toml"), text)
	e, err := LoadExperiment(filepath.Join(dir, "e.toml"), set)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func plan(t *testing.T, e *Experiment) *Plan {
	t.Helper()
	p, err := NewPlan(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantError checks the exit code and the sentence of err.
func wantError(t *testing.T, err error, code userr.Code, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if userr.CodeOf(err) != code {
		t.Errorf("exit code %d, want %d: %v", userr.CodeOf(err), code, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
