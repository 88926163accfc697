package slurm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// realLab is newLab with the Slurm that scripts/test-slurm.sh starts.
func realLab(t *testing.T) *lab {
	t.Helper()
	if os.Getenv("SMLM_EXP_TEST_SLURM") == "" {
		t.Skip("scripts/test-slurm.sh starts a Slurm and then this")
	}
	path := os.Getenv("PATH")
	l := newLab(t, "")
	t.Setenv("PATH", path)
	return l
}

// TestRealSlurm: a real Slurm runs every stage once, with the same bytes as here; what it is told
// to stop goes back into the queue with its checkpoint.
func TestRealSlurm(t *testing.T) {
	l := realLab(t)
	l.touch("wait.divlstm")
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(t.Context()) })
	if _, err := call(t.Context(), "scancel", "--signal=TERM", "--batch", l.waits("divlstm")); err != nil {
		t.Error(err)
	}
	over.Wait()
	if err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
	here, err := workspace.Open(filepath.Join(t.TempDir(), "ws"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(l.file("wait.divlstm")); err != nil {
		t.Fatal(err)
	}
	if err := locally(t.Context(), l.plan, here); err != nil {
		t.Fatal(err)
	}
	for _, s := range l.plan.Stages {
		a, errA := os.ReadFile(filepath.Join(l.ws.StageDir(s), "out.txt"))
		b, errB := os.ReadFile(filepath.Join(here.StageDir(s), "out.txt"))
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s differs: %v %v\n%s\n%s", s.Title(), errA, errB, a, b)
		}
	}
}

// TestRealSlurmCancelled: a running task that is cancelled does not come back, and the next run
// finishes its stage.
func TestRealSlurmCancelled(t *testing.T) {
	l := realLab(t)
	l.touch("wait.divlstm")
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(t.Context()) })
	if err := cancel(t.Context(), []string{l.waits("divlstm")}); err != nil {
		t.Error(err)
	}
	over.Wait()
	testkit.WantError(t, err, userr.StageFailed, "stage divlstm ", "is not finished and its task has ended: ",
		"left out: ")
	l.mustRun()
	l.whole()
}

// TestRealSlurmInterrupted: Ctrl-C empties the queue, and the next run goes on.
func TestRealSlurmInterrupted(t *testing.T) {
	l := realLab(t)
	l.touch("wait.divlstm")
	ctx, end := context.WithCancel(t.Context())
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(ctx) })
	l.waits("divlstm")
	end()
	over.Wait()
	testkit.WantError(t, err, userr.Interrupted, "Slurm was asked to cancel jobs ")
	l.wait("the queue to be empty", func() bool {
		live, err := queue(t.Context())
		return err == nil && len(live) == 0
	})
	l.mustRun()
	l.whole()
}

// TestRealSlurmRefuses: what sbatch says is told.
func TestRealSlurmRefuses(t *testing.T) {
	l := realLab(t)
	o := l.options()
	path := l.plan.Experiment.Path
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, path, string(text)+"[slurm]\npartition = \"nowhere\"\n")
	p := planAt(t, path)
	err = Run(t.Context(), p, l.ws, p.Stages, o)
	testkit.WantError(t, err, userr.BadInput, "Slurm refused the job array of 1 task", "partition")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %v", err)
	}
}
