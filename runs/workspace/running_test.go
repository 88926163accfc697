package workspace

import (
	"os"
	"path/filepath"
	"syscall"
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
	if r, _, _ := theirs.Running(); r.PID != os.Getpid() || r.Since.IsZero() || len(r.Command) == 0 ||
		r.Updated.IsZero() {
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

// TestAskingDisturbsNobody: who looks holds the lock for a moment, for which a run waits.
func TestAskingDisturbsNobody(t *testing.T) {
	ours, _ := opened(t)
	if err := ours.Create(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(ours.Path("lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	before := betweenTries
	betweenTries = func() { f.Close() }
	defer func() { betweenTries = before }()
	if err := ours.Lock(); err != nil {
		t.Error(err)
	}
	ours.Unlock()
}
