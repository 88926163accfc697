package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testdata"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// opened are two processes' views of one workspace.
func opened(t *testing.T) (ours, theirs *Workspace) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "workspace")
	var both [2]*Workspace
	for i := range both {
		var err error
		if both[i], err = Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	return both[0], both[1]
}

func TestRunning(t *testing.T) {
	ours, theirs := opened(t)
	is := func(when string, alive bool, stage kind.Kind, note bool) {
		t.Helper()
		r, lives, err := theirs.Running()
		if err != nil || lives != alive || (r != nil) != note || r != nil && r.Kind != stage {
			t.Errorf("%s: %+v, alive %v, %v", when, r, lives, err)
		}
	}
	is("before the first run", false, "", false)
	if err := ours.Lock(); err != nil {
		t.Fatal(err)
	}
	is("between start and first stage", true, "", true)
	ours.Tell(Running{Kind: kind.SMLM, Stages: 3})
	is("in a stage", true, kind.SMLM, true)
	if r, _, _ := theirs.Running(); r.PID != os.Getpid() || r.Since.IsZero() || len(r.Command) == 0 || r.Updated.IsZero() {
		t.Errorf("who it is: %+v", r)
	}
	testdata.WantError(t, theirs.Lock(), userr.BadInput, "is in use by process")
	ours.Unlock()
	is("after the run", false, "", false)

	if err := ours.Lock(); err != nil {
		t.Fatal(err)
	}
	ours.holder.PID++ // of this test there is but one process
	ours.Tell(Running{Kind: kind.SMLM, Stages: 3})
	ours.told = false // as if it were killed: nothing clears up
	ours.Unlock()
	is("after it was killed", false, kind.SMLM, true)
	if err := theirs.Hold(); err != nil {
		t.Fatal(err)
	}
	is("while another process holds the lock of a killed one", true, "", true)
	theirs.Unlock()
	is("after Hold, which clears nothing", false, kind.SMLM, true)
	if err := theirs.Lock(); err != nil {
		t.Fatal(err)
	}
	theirs.Unlock()
	is("after Lock, which does", false, "", false)

	testdata.WriteFile(t, ours.Path(runningFile), "{")
	is("half a note", false, "", false)
}

// TestAskingDisturbsNobody: whoever looks holds the lock for a moment, for which a run waits.
func TestAskingDisturbsNobody(t *testing.T) {
	ours, theirs := opened(t)
	if err := ours.Create(); err != nil {
		t.Fatal(err)
	}
	stop, asked := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				asked <- nil
				return
			default:
			}
			if _, _, err := theirs.Running(); err != nil {
				asked <- err
				return
			}
		}
	}()
	for range 100 {
		if err := ours.Lock(); err != nil {
			t.Fatal(err)
		}
		ours.Unlock()
	}
	close(stop)
	if err := <-asked; err != nil {
		t.Error(err)
	}
}

// TestDiscardStaysInside: where a folder of the workspace is a link, nothing behind it is listed or
// removed, even when asked for by name.
func TestDiscardStaysInside(t *testing.T) {
	ws, _ := opened(t)
	if err := ws.Lock(); err != nil {
		t.Fatal(err)
	}
	defer ws.Unlock()
	outside := t.TempDir()
	id := strings.Repeat("0", 64)
	testdata.WriteFile(t, filepath.Join(outside, id, "thesis.tex"), "x")
	for _, link := range []string{ws.Path("stages", "smlm"), ws.Path("scratch", "smlm"), ws.Path("tables")} {
		if err := os.Symlink(outside, link); err != nil {
			t.Fatal(err)
		}
	}
	testdata.WriteFile(t, filepath.Join(outside, id, ".x.1"), "x")
	kept, err := ws.Kept()
	if err != nil || len(kept) > 0 {
		t.Errorf("listed %v, %v", kept, err)
	}
	rest, err := ws.Leftovers(func(string) bool { return false })
	if err != nil || len(rest) > 0 {
		t.Errorf("left over are %v, %v", rest, err)
	}
	if err := ws.Discard([]Kept{{Kind: kind.SMLM, ID: id}}, nil); err == nil {
		t.Error("a stage behind a link was removed")
	}
	if err := ws.Discard(nil, []Leftover{{Path: "scratch/smlm/" + id}}); err == nil {
		t.Error("checkpoints behind a link were removed")
	}
	if err := ws.Discard(nil, []Leftover{{Path: "../" + filepath.Base(outside)}}); err == nil {
		t.Error("a folder beside the workspace was removed")
	}
	if _, err := os.Stat(filepath.Join(outside, id, ".x.1")); err != nil {
		t.Error(err)
	}
	ws.Unlock()
	if err := ws.Discard(nil, nil); err == nil {
		t.Error("it cleans without the lock")
	}
}
