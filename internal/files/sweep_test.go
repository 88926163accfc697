package files

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSweep: what a dead process left goes, and nothing else does: not what is being written now.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".a.txt.123", "b.txt", ".finished", ".a.txt.12x", "a.txt.123"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".folder.1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b.txt", filepath.Join(dir, ".link.1")); err != nil {
		t.Fatal(err)
	}
	err := Write(filepath.Join(dir, "c.txt"), func(w io.Writer) error {
		if left := Left(dir); !slices.Equal(left, []string{filepath.Join(dir, ".a.txt.123")}) {
			t.Errorf("while c.txt is written %q are taken for left", left)
		}
		if err := Sweep(dir); err != nil {
			return err
		}
		_, err := io.WriteString(w, "c")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".a.txt.12x", ".finished", ".folder.1", ".link.1", "a.txt.123", "b.txt", "c.txt"}; !slices.Equal(
		names, want) {
		t.Errorf("left are %q, want %q", names, want)
	}
}

// TestWriteWhileSwept: a writer and a sweeper never disturb each other.
func TestWriteWhileSwept(t *testing.T) {
	dir := t.TempDir()
	stop, swept := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				swept <- nil
				return
			default:
			}
			if err := Sweep(dir); err != nil {
				swept <- err
				return
			}
		}
	}()
	for range 200 {
		if err := Write(filepath.Join(dir, "a.txt"), func(w io.Writer) error {
			_, err := io.WriteString(w, "a")
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := <-swept; err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}
