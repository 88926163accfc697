package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// finishedStages are five stages of one file each.
func finishedStages(t *testing.T) (*Workspace, []*plan.Stage) {
	t.Helper()
	p, ws := swept(t)
	stages := p.Stages[:5]
	for _, s := range stages {
		testkit.WriteFile(t, ws.filePath(s, "file"), "what the stage wrote: "+s.ID)
		if err := stage.Seal(ws.StageDir(s), &stage.Record{Name: s.Name, ID: s.ID, State: StateDone}); err != nil {
			t.Fatal(err)
		}
	}
	return ws, stages
}

// TestAhead: what was found right ahead is known, what is damaged or was changed since is told as
// ever.
func TestAhead(t *testing.T) {
	ws, stages := finishedStages(t)
	damaged := ws.filePath(stages[0], "file")
	if err := os.WriteFile(damaged, []byte("other bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws.Ahead()()
	for range 200 {
		end := ws.Ahead()
		time.Sleep(5 * time.Millisecond)
		end()
		if len(ws.known.files) == len(stages)-1 && len(ws.known.records) == len(stages) {
			break
		}
	}
	if len(ws.known.records) != len(stages) || len(ws.known.files) != len(stages)-1 {
		t.Fatalf("%d records and %d files are known of %d stages, one of them damaged", len(ws.known.records),
			len(ws.known.files), len(stages))
	}
	for i, s := range stages {
		if _, err := ws.File(s, "file"); (err != nil) != (i == 0) {
			t.Errorf("stage %d: %v", i, err)
		}
	}
	later := ws.filePath(stages[1], "file")
	if err := os.WriteFile(later, []byte("shorter"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.File(stages[1], "file"); err == nil || !strings.Contains(err.Error(), filepath.Base(later)) {
		t.Errorf("changed after it was known: %v", err)
	}
}
