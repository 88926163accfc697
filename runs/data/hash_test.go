package data

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestHashLarge checks that hashLarge hashes the whole content of a small file, but only the size,
// the beginning and the end of a large file.
func TestHashLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	hash := func(size int64, at int64) string {
		t.Helper()
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(size); err != nil { // a sparse file, which takes no room on the disk
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte("x"), at); err != nil {
			t.Fatal(err)
		}
		h, err := hashLarge(path)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	const size = 70 << 20
	base := hash(size, 0)
	for name, other := range map[string]string{
		"another size": hash(size+1, 0), "another beginning": hash(size, 1), "another end": hash(size, size-1),
	} {
		if other == base {
			t.Errorf("%s, the same hash", name)
		}
	}
	testkit.WriteFile(t, path, "small")
	whole, err := files.SHA256(path)
	if got, err2 := hashLarge(path); err != nil || err2 != nil || got != whole {
		t.Errorf("a small file: %s %v, want %s %v", got, err2, whole, err)
	}
}
