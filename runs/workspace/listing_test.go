package workspace

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// swept returns the plan of a sweep and its workspace, in which nothing has run.
func swept(t *testing.T) (*plan.Plan, *Workspace) {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteLines(t, filepath.Join(dir, "systems", "Other.0.txt"), 3, "an output")
	testkit.WriteLines(t, filepath.Join(dir, "systems", "Other.1.txt"), 3, "an output")
	testkit.WriteFile(t, filepath.Join(dir, "systems", "README"), "not a system")
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), testkit.SweptStudy)
	e, err := experiment.Load(filepath.Join(dir, "e.toml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := Open(filepath.Join(dir, "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	return p, ws
}

// TestListing: the listing has every stage of a sweep with its settings, state and time.
func TestListing(t *testing.T) {
	p, ws := swept(t)
	var b strings.Builder
	if err := ws.WriteListing(&b, p); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/listing.txt", b.String())
}

// TestStatus: a stage is done, failed before or to run. The listing counts failed stages as stages
// to run.
func TestStatus(t *testing.T) {
	p, ws := swept(t)
	if err := ws.Lock(); err != nil {
		t.Fatal(err)
	}
	defer ws.Unlock()
	first := p.Stages[0]
	r, err := NewRecord(first, 1)
	if err != nil {
		t.Fatal(err)
	}
	r.Finish(nil)
	testkit.WriteFile(t, filepath.Join(ws.StageDir(first), "train.0.txt"), "1234")
	if err := stage.Seal(ws.StageDir(first), r); err != nil {
		t.Fatal(err)
	}
	failed, err := NewRecord(p.Stages[1], 1)
	if err != nil {
		t.Fatal(err)
	}
	failed.Finish(errors.New("no such luck"))
	if err := stage.WriteRecord(ws.FailedPath(p.Stages[1], ".json"), failed); err != nil {
		t.Fatal(err)
	}
	status, states := ws.Status(p), map[string]int{}
	for _, s := range status {
		states[s.State]++
		if failed := s.Stage == p.Stages[1]; failed != (s.Error == "no such luck") {
			t.Errorf("%s failed before with %q", s.Stage.Title(), s.Error)
		}
	}
	n := len(p.Stages)
	if status[0].State != StateDone || states[StateDone] != 1 || states[StateFailed] != 1 || states[stateToRun] != n-2 {
		t.Errorf("states %v of %d stages", states, n)
	}
	var b strings.Builder
	if err := ws.WriteListing(&b, p); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d stages, 1 done, %d to run; time unknown\n", n, n-1); !strings.Contains(b.String(), want) {
		t.Errorf("the listing does not have %q:\n%s", want, b.String())
	}
}
