package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestWriteFolder checks that a directory is written completely or not at all. After an error, a
// directory that existed before is empty, and a directory that was created is removed, together
// with any parents that were created.
func TestWriteFolder(t *testing.T) {
	for _, c := range []struct{ name, there, dir string }{
		{"there", "out", "out"}, {"new", ".", "out"}, {"new with those above", "out", "out/above/new"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			there, dir := filepath.Join(root, c.there), filepath.Join(root, c.dir)
			if err := os.MkdirAll(there, 0o755); err != nil {
				t.Fatal(err)
			}
			write := func(apart string) error {
				left, err := os.ReadDir(dir)
				if err != nil || len(left) != 1 || left[0].Name() != filepath.Base(apart) {
					t.Errorf("before the end the folder has %v (%v)", left, err)
				}
				testkit.WriteFile(t, filepath.Join(apart, "below", "a"), "1")
				testkit.WriteFile(t, filepath.Join(apart, "b"), "2")
				return nil
			}
			broken := errors.New("broken")
			fails := func(apart string) error { return errors.Join(write(apart), broken) }
			if err := WriteFolder(dir, fails); !errors.Is(err, broken) {
				t.Error(err)
			}
			if left, err := os.ReadDir(there); err != nil || len(left) != 0 {
				t.Errorf("after an error there are %v (%v)", left, err)
			}
			if err := WriteFolder(dir, write); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"below/a": "1", "b": "2"} {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
					t.Errorf("%s is %q (%v)", name, got, err)
				}
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
				t.Errorf("the folder has %v (%v)", left, err)
			}
			testkit.WantError(t, WriteFolder(dir, fails), userr.BadInput, dir, "is not empty: name another one")
		})
	}
}

// TestEmptyFolder checks that a directory counts as empty if it holds only a file manager's hidden
// files.
func TestEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	for _, hidden := range []string{".DS_Store", "._notes.txt"} {
		testkit.WriteFile(t, filepath.Join(dir, hidden), "\x00\x05\x16\x07")
	}
	for _, empty := range []string{dir, filepath.Join(dir, "new")} {
		if err := EmptyFolder(empty); err != nil {
			t.Error(err)
		}
	}
	file := filepath.Join(dir, "notes.txt")
	testkit.WriteFile(t, file, "")
	testkit.WantError(t, EmptyFolder(dir), userr.BadInput, dir, "is not empty: name another one")
	testkit.WantError(t, EmptyFolder(filepath.Join(file, "below")), userr.BadInput, file, "not a directory")
}
