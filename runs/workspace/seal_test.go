package workspace

import (
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestWholeFolder: WholeFolder notices one changed byte in a stage's folder, without an open
// workspace.
func TestWholeFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in", "file")
	testkit.WriteFile(t, path, "what the stage wrote")
	r := &stage.Record{State: StateDone}
	if err := stage.Seal(dir, r); err != nil {
		t.Fatal(err)
	}
	if err := WholeFolder(dir, r); err != nil {
		t.Error(err)
	}
	testkit.WriteFile(t, path, "what the stage wrotE")
	testkit.WantError(t, WholeFolder(dir, r), userr.BadInput, path, "has changed since the stage wrote it")
}
