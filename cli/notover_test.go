package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestNotOver checks that a command does not overwrite a file that it reads, even if the output is
// given by another name of the file.
func TestNotOver(t *testing.T) {
	dir := t.TempDir()
	read, link := filepath.Join(dir, "read"), filepath.Join(dir, "link")
	testkit.WriteFile(t, read, "text")
	if err := os.Symlink(read, link); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{read, link, filepath.Join(dir, ".", "read")} {
		testkit.WantError(t, notOver(out, "", read), userr.BadInput, "--output: ", out, "name another file")
	}
	other := filepath.Join(dir, "other")
	testkit.WriteFile(t, other, "text")
	for _, out := range []string{"", other, filepath.Join(dir, "new")} {
		if err := notOver(out, "", read); err != nil {
			t.Error(err)
		}
	}
}
