package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestNotOver: what a command reads is not written over, whatever name it is given by.
func TestNotOver(t *testing.T) {
	dir := t.TempDir()
	read, link := filepath.Join(dir, "read"), filepath.Join(dir, "link")
	testkit.WriteFile(t, read, "text")
	if err := os.Symlink(read, link); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{read, link, filepath.Join(dir, ".", "read")} {
		testkit.WantError(t, notOver("--output", out, "", read), userr.BadInput, "--output: ", out, "name another file")
	}
	other := filepath.Join(dir, "other")
	testkit.WriteFile(t, other, "text")
	for _, out := range []string{"", other, filepath.Join(dir, "new")} {
		if err := notOver("--output", out, "", read); err != nil {
			t.Error(err)
		}
	}
}

// TestEmptyFolder: what a file manager leaves in a folder that it showed does not fill it.
func TestEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	for _, hidden := range []string{".DS_Store", "._notes.txt"} {
		testkit.WriteFile(t, filepath.Join(dir, hidden), "\x00\x05\x16\x07")
	}
	for _, empty := range []string{dir, filepath.Join(dir, "new")} {
		if err := emptyFolder(empty); err != nil {
			t.Error(err)
		}
	}
	file := filepath.Join(dir, "notes.txt")
	testkit.WriteFile(t, file, "")
	testkit.WantError(t, emptyFolder(dir), userr.BadInput, dir, "is not empty: name another one")
	testkit.WantError(t, emptyFolder(filepath.Join(file, "below")), userr.BadInput, "because "+strconv.Quote(file)+" is a file")
}
