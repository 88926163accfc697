package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

func TestSpent(t *testing.T) {
	ws, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &plan.Stage{Name: stages.SMLM, ID: "abc"}
	dir := ws.ScratchDir(s)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ws.KeepSpent(s, 5) // there is no checkpoint, so the next try will start from scratch
	if got := ws.Spent(s); got != 0 {
		t.Errorf("without a checkpoint %v seconds are counted, want 0", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "checkpoint.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	ws.KeepSpent(s, 12.5)
	if got := ws.Spent(s); got != 12.5 {
		t.Errorf("with a checkpoint %v seconds are counted, want 12.5", got)
	}
}
