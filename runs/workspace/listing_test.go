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
	r := NewRecord(first, 1)
	r.Finish(nil)
	testkit.WriteFile(t, filepath.Join(ws.StageDir(first), "train.0.txt"), "1234")
	if err := stage.Seal(ws.StageDir(first), r); err != nil {
		t.Fatal(err)
	}
	failed := NewRecord(p.Stages[1], 1)
	failed.Finish(errors.New("no such luck"))
	if err := stage.WriteRecord(ws.FailedPath(p.Stages[1], ".json"), failed); err != nil {
		t.Fatal(err)
	}
	n := len(p.Stages)
	var b strings.Builder
	if err := ws.WriteListing(&b, p); err != nil {
		t.Fatal(err)
	}
	listing := b.String()
	if want := fmt.Sprintf("%d stages, 1 done, %d to run; time unknown\n", n, n-1); !strings.Contains(listing, want) {
		t.Errorf("the listing does not have %q:\n%s", want, listing)
	}
	for state, times := range map[string]int{" done  ": 1, " failed before  ": 1, " to run  ": n - 2} {
		if strings.Count(listing, state) != times {
			t.Errorf("the listing does not have %d stages%s:\n%s", times, state, listing)
		}
	}
}
