// Package testkit holds what tests of several packages share: golden files, access to the real
// corpora in ../shared, results recorded from PyTorch, small studies, and helpers that run other
// programs.
package testkit

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// Shared returns the path of ../shared/data/elem... next to the repository. It skips the test if
// the path does not exist.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	path := filepath.Join(append([]string{root, "..", "shared", "data"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf(
			"needs the shared data (%s), which is not here",
			filepath.Join(append([]string{"shared", "data"}, elem...)...),
		)
	}
	return path
}

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether the flag -update is set, which makes tests write their golden files.
func Updating() bool { return *update }

// Golden fails the test unless path holds exactly got. With -update it writes the file instead.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(got), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it, if that is meant); -want +got:\n%s", path,
			cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
	}
}

// Wrapped wraps text in lines of 120 columns, as in documents. The first line starts with a prefix,
// the argument before. All other lines are indented by the length of this prefix.
func Wrapped(before, text string) string {
	const columns = 120
	line, lines := before, []string(nil)
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns:
			lines = append(lines, line)
			line = strings.Repeat(" ", len(before)) + word
		case i > 0:
			line += " " + word
		default:
			line += word
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// Split returns the words of each text.
func Split(texts ...string) [][]string {
	all := make([][]string, len(texts))
	for i, text := range texts {
		all[i] = strings.Fields(text)
	}
	return all
}

// Words reads a file with one sentence per line, and splits the sentences at white space. It
// returns nil if the file is missing.
func Words(t testing.TB, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// Indices returns 0 to n-1, for tests that draw a permutation.
func Indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// WantShape checks that a model's shape is written as JSON with these fields, named as in an
// experiment file, and that reading it back gives the same shape.
func WantShape[T comparable](t testing.TB, shape T, fields map[string]any) {
	t.Helper()
	raw, err := json.Marshal(shape)
	if err != nil {
		t.Fatal(err)
	}
	var read T
	if err := json.Unmarshal(raw, &read); err != nil || read != shape {
		t.Errorf("read %+v (%v), want %+v", read, err, shape)
	}
	var written map[string]any
	if err := json.Unmarshal(raw, &written); err != nil {
		t.Fatal(err)
	}
	for name, want := range fields {
		if written[name] != want {
			t.Errorf("%s is written as %v, want %v", name, written[name], want)
		}
	}
}
