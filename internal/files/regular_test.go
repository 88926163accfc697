package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInParts: files are read whole that are empty, smaller and larger than what is read at once,
// many at a time; what cannot be read is an error that names it.
func TestInParts(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 64 << 10, 200_000} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			want := bytes.Repeat([]byte{byte(size), 1, 2}, size)[:size]
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(want)
			for range 50 {
				if got, err := ReadRegular(path); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("of %d bytes, %d are read, %v", size, len(got), err)
				}
				if got, err := SHA256OfRegular(path); err != nil || got != hex.EncodeToString(sum[:]) {
					t.Fatalf("of %d bytes: %s, %v", size, got, err)
				}
			}
		})
	}
	for path, want := range map[string]error{dir: syscall.EISDIR, filepath.Join(dir, "none"): fs.ErrNotExist} {
		var named *fs.PathError
		if _, err := ReadRegular(path); !errors.Is(err, want) || !errors.As(err, &named) || named.Path != path {
			t.Errorf("read %s: %v", path, err)
		}
		if _, err := SHA256OfRegular(path); !errors.Is(err, want) || !errors.As(err, &named) || named.Path != path {
			t.Errorf("hash of %s: %v", path, err)
		}
	}
}
