package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// TestPlanJSON: another program can compute every identity and the totals from the document alone.
func TestPlanJSON(t *testing.T) {
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
	var b bytes.Buffer
	if err := ws.WriteJSON(&b, p); err != nil {
		t.Fatal(err)
	}
	var doc planned
	in := json.NewDecoder(&b)
	if err := in.Decode(&doc); err != nil || in.More() {
		t.Fatalf("not one JSON document: %v", err)
	}
	states := map[string]int{}
	for _, s := range doc.Stages {
		states[s.State]++
		text, err := plan.Canonical(map[string]any{
			"stage": s.Name, "version": s.Version, "settings": s.Settings, "inputs": s.Inputs,
		})
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != s.ID {
			t.Errorf("%s %s has another identity in the document", s.Name, s.ID)
		}
		if known := s.Seconds != nil; known != (s.Name == first.Name) {
			t.Errorf("the time of %s %s is known: %v", s.Name, s.ID, known)
		}
	}
	n := len(p.Stages)
	if states[StateDone] != 1 || states[StateFailed] != 1 || states[stateToRun] != n-2 || doc.Stages[1].Error == "" {
		t.Errorf("states %v of %d stages", states, n)
	}
	if got := doc.Totals; got.Points != len(p.Points) || got.Stages != n || got.Done != 1 || got.Failed != 1 ||
		got.ToRun != n-1 || got.UnknownTime == 0 || got.UnknownTime > n-1 {
		t.Errorf("totals %+v of %d stages", got, n)
	}
}
