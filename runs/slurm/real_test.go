package slurm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// realLab returns a lab with the real Slurm that scripts/test-slurm.sh starts, instead of the fake
// one.
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

// TestRealSlurm: the workers of a real Slurm run every stage once. Their results have the same
// bytes as the results of a run in this process. If a worker is cancelled, another one continues
// its stage.
func TestRealSlurm(t *testing.T) {
	l := realLab(t)
	l.touch("wait.divlstm")
	end := l.begin(t.Context())
	if err := cancel(l.waits("divlstm")); err != nil {
		t.Error(err)
	}
	if err := end(); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
	here, err := workspace.Open(filepath.Join(t.TempDir(), "ws"))
	if err != nil {
		t.Fatal(err)
	}
	l.remove("wait.divlstm")
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

// TestRealSlurmCores: a worker gets the cores that its options ask for.
func TestRealSlurmCores(t *testing.T) {
	l := realLab(t)
	l.reload("[slurm]\noptions = [\"--cpus-per-task=1\", \"--time=5\"]\n")
	o := l.options()
	o.Threads, o.Workers = 0, 1
	if err := l.runWith(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	for _, s := range l.plan.Stages {
		if record, err := l.ws.Record(s); err != nil || record.Threads != 1 {
			t.Errorf("%s: %+v, %v", s.Title(), record, err)
		}
	}
}

// TestRealSlurmTime: a worker gets a signal before its time ends, and leaves a checkpoint.
func TestRealSlurmTime(t *testing.T) {
	l := realLab(t)
	l.touch("wait.divlstm")
	l.reload("[slurm]\noptions = [\"--time=1\", \"--signal=B:TERM@50\"]\n")
	o := l.options()
	o.Workers = 1
	err := l.runWith(t.Context(), o)
	testkit.WantError(t, err, userr.StageFailed, "the workers have ended without ", ": interrupted: ")
	l.mustRun()
	l.whole()
}

// reload adds tables to the experiment file and plans the experiment again.
func (l *lab) reload(more string) {
	l.t.Helper()
	path := l.plan.Experiment.Path
	text, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	testkit.WriteFile(l.t, path, string(text)+more)
	l.plan = planAt(l.t, path)
}

// TestRealSlurmCancelled: workers that are cancelled do not come back, and the next run finishes
// their stages.
func TestRealSlurmCancelled(t *testing.T) {
	l := realLab(t)
	l.touch("wait.divlstm")
	end := l.begin(t.Context())
	job, _, _ := strings.Cut(l.waits("divlstm"), "_")
	if err := cancel(job); err != nil {
		t.Error(err)
	}
	testkit.WantError(t, end(), userr.StageFailed, "the workers have ended without ")
	l.mustRun()
	l.whole()
}

// TestRealSlurmInterrupted: Ctrl-C empties the queue, and the next run continues.
func TestRealSlurmInterrupted(t *testing.T) {
	l := realLab(t)
	l.touch("wait.divlstm")
	ctx, interrupt := context.WithCancel(t.Context())
	end := l.begin(ctx)
	job, _, _ := strings.Cut(l.waits("divlstm"), "_")
	interrupt()
	testkit.WantError(t, end(), userr.Interrupted, "Slurm was asked to cancel job "+job)
	l.wait("the queue to be empty", func() bool { return len(l.queue(job)) == 0 })
	l.mustRun()
	l.whole()
}

// TestRealSlurmRefuses: if sbatch refuses a job, the error has sbatch's message.
func TestRealSlurmRefuses(t *testing.T) {
	l := realLab(t)
	l.reload("[slurm]\noptions = [\"--partition=nowhere\"]\n")
	err := l.run(t.Context())
	testkit.WantError(t, err, userr.BadInput, "Slurm refused the job array: ", "partition")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %v", err)
	}
}
