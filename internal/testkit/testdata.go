// Package testkit finds the real corpora that tests may read and that are never part of the
// repository.
package testkit

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Shared returns the path of ../shared/data/elem... beside the repository, and skips the test where
// it is absent.
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
