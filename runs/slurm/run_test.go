package slurm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// planOf plans an experiment over a tiny data set.
func planOf(t testing.TB, text string) *plan.Plan {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteLines(t, filepath.Join(filepath.Join(dir, "data"), "train.0.txt"), 120, "other words") // enough to train what measures
	if strings.Contains(text, `"systems"`) {
		testkit.WriteLines(t, filepath.Join(dir, "systems", "other.0.txt"), 3, "good .")
		testkit.WriteLines(t, filepath.Join(dir, "systems", "other.1.txt"), 3, "bad .")
	}
	path := filepath.Join(dir, "e.toml")
	testkit.WriteFile(t, path, text)
	return planAt(t, path)
}

func planAt(t testing.TB, path string) *plan.Plan {
	t.Helper()
	e, err := experiment.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lab is an experiment and the fake Slurm of testdata/fake.
type lab struct {
	t    *testing.T
	plan *plan.Plan
	ws   *workspace.Workspace
	fake string // what the fake keeps
	out  text
}

// text is an output that another goroutine may read.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (x *text) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.Write(b)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}

func newLab(t *testing.T, more string) *lab {
	t.Helper()
	l := &lab{t: t, plan: planOf(t, strings.Replace(testkit.SmallStudy, "[smlm]", "[smlm]\nmodels = [\"smlm\"]", 1)+more), fake: t.TempDir()}
	fakes, err := filepath.Abs(filepath.Join("testdata", "fake"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", fakes+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE_SLURM", l.fake)
	if l.ws, err = workspace.Open(l.plan.Experiment.Workspace); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // no task outlives the test
		_ = os.Remove(filepath.Join(l.fake, "away"))
		l.wait("the fake's tasks to end", func() bool {
			if live, err := queue(context.Background()); err != nil || len(live) > 0 {
				for _, q := range live {
					_ = cancel(context.Background(), []string{q.job})
				}
				return false
			}
			return true
		})
	})
	return l
}

// wait waits until is holds.
func (l *lab) wait(what string, is func() bool) {
	l.t.Helper()
	for end := time.Now().Add(testkit.Hangs); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("waited in vain for %s; said so far:\n%s", what, l.out.String())
		}
	}
}

func (l *lab) file(name string) string { return filepath.Join(l.fake, name) }

func (l *lab) touch(name string) { testkit.WriteFile(l.t, l.file(name), "") }

func (l *lab) options() Options {
	return Options{
		Command: []string{os.Args[0], "run", l.plan.Experiment.Path}, Threads: 1, Out: &l.out,
	}
}

func (l *lab) run(ctx context.Context) error {
	l.t.Helper()
	todo, err := Todo(l.plan, l.ws)
	if err != nil {
		l.t.Fatal(err)
	}
	return Run(ctx, l.plan, l.ws, todo, l.options())
}

func (l *lab) mustRun() {
	l.t.Helper()
	if err := l.run(l.t.Context()); err != nil {
		l.t.Fatalf("%v\n%s", err, l.out.String())
	}
}

// calls are the command lines that changed something in the fake, but for paths.
func (l *lab) calls() []string {
	l.t.Helper()
	text, err := os.ReadFile(l.file("calls"))
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// waits waits until a stage of that name does and returns the name of its task.
func (l *lab) waits(stage string) (task string) {
	l.t.Helper()
	l.wait(stage, func() bool {
		text, _ := os.ReadFile(l.file("waits." + stage))
		task = string(text)
		return task != ""
	})
	return task
}

// terminate sends the task of a stage that waits what Slurm sends before it ends a task.
func (l *lab) terminate(stage string) {
	l.t.Helper()
	text, err := os.ReadFile(l.file(l.waits(stage) + ".pid"))
	if err != nil {
		l.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		l.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		l.t.Fatal(err)
	}
}

// whole checks that every stage is finished and ran once.
func (l *lab) whole() {
	l.t.Helper()
	text, err := os.ReadFile(l.file("ran"))
	if err != nil {
		l.t.Fatal(err)
	}
	for _, s := range l.plan.Stages {
		if n := strings.Count(string(text), string(s.Name)+"/"+s.ID); n != 1 || l.ws.Whole(s) != nil {
			l.t.Errorf("%s ran %d times; finished: %v", s.Title(), n, l.ws.Whole(s))
		}
	}
}

// TestRun: the stages run as job arrays with what [slurm] asks for, and again nothing is left to
// do.
func TestRun(t *testing.T) {
	l := newLab(t, `[slurm]
partition = "cpu"
time = "8:00:00"
parallel = 3
setup = ["export ONE=1", "cd /"]
[slurm.smlm]
partition = "gpu"
gres = "gpu:1"
cpus = 2
memory = "16G"
options = ["--nice=3"]
`)
	l.mustRun()
	l.whole()
	var begun []string
	for _, call := range l.calls() {
		call, _, _ = strings.Cut(call, " --comment=")
		begun = append(begun, call)
	}
	testkit.Golden(t, filepath.Join("testdata", "calls.txt"), strings.Join(begun, "\n")+"\n")
	for _, part := range []string{"tasks in ", "[1/", ": done in "} {
		if !strings.Contains(l.out.String(), part) {
			t.Errorf("%q is not said:\n%s", part, l.out.String())
		}
	}
	l.mustRun()
	if n := len(l.calls()); n != len(begun) {
		t.Errorf("a finished run submitted %d more", n-len(begun))
	}
}

// TestFailure: a failed stage is told with its error, stages that need it are left out, others run,
// and the next run goes on.
func TestFailure(t *testing.T) {
	l := newLab(t, "")
	l.touch("fail.smlm")
	err := l.run(t.Context())
	testkit.WantError(t, err, userr.StageFailed, "stage smlm ", "failed: the loss is not a number (its record is ",
		"skipped: ")
	if n := strings.Count(err.Error(), "\n"); n != 2 { // two thresholds
		t.Errorf("%d lines more than one:\n%v", n, err)
	}
	for _, s := range l.plan.Stages {
		if s.Name == "classifier" && !l.ws.Done(s) {
			t.Errorf("%s is not finished", s.Title())
		}
	}
	if err := os.Remove(l.file("fail.smlm")); err != nil {
		t.Fatal(err)
	}
	l.mustRun()
	l.whole()
}

// TestCancelled: a task that is cancelled while it runs is told of, what needs it is left out, and
// the next run finishes it from its checkpoint.
func TestCancelled(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.divlstm")
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(t.Context()) })
	if err := cancel(t.Context(), []string{l.waits("divlstm")}); err != nil {
		t.Fatal(err)
	}
	over.Wait()
	testkit.WantError(t, err, userr.StageFailed, "stage divlstm ", "is not finished and its task has ended: ",
		"its log is ", "left out: ", "the same command continues from there")
	for _, call := range l.calls() {
		if strings.HasPrefix(call, "scontrol") {
			t.Errorf("a cancelled task was put back: %s", call)
		}
	}
	l.mustRun()
	l.whole()
}

// TestRequeued: a task that Slurm ends before its time goes back into the queue with a checkpoint,
// and stays out of it where it got no further.
func TestRequeued(t *testing.T) {
	for name, stuck := range map[string]bool{"goes on": false, "gets no further": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, "")
			l.touch("wait.divlstm")
			if stuck {
				l.touch("stuck.divlstm")
			}
			var err error
			var over sync.WaitGroup
			over.Go(func() { err = l.run(t.Context()) })
			l.terminate("divlstm")
			over.Wait()
			if stuck {
				testkit.WantError(t, err, userr.StageFailed, "stage divlstm ", "is not finished and its task has ended")
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, l.out.String())
			}
			l.whole()
		})
	}
}

// TestInterrupted: Ctrl-C cancels the jobs and says so; the next run goes on.
func TestInterrupted(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.classifier")
	ctx, end := context.WithCancel(t.Context())
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(ctx) })
	l.waits("classifier")
	end()
	over.Wait()
	testkit.WantError(t, err, userr.Interrupted, "interrupted: ", "Slurm was asked to cancel jobs ")
	l.wait("the tasks to end", func() bool {
		live, err := queue(t.Context())
		return err == nil && len(live) == 0
	})
	l.mustRun()
	l.whole()
}

// TestHungUp: a closed terminal leaves the jobs in the queue, and the next run waits for them.
func TestHungUp(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.classifier")
	ctx, end := context.WithCancelCause(t.Context())
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(ctx) })
	l.waits("classifier")
	end(ErrHangUp)
	over.Wait()
	testkit.WantError(t, err, userr.Interrupted, "interrupted: ", " continue without this program; ")
	if live, err := queue(t.Context()); err != nil || len(live) == 0 {
		t.Errorf("%d tasks are left in the queue (%v), want those that were submitted", len(live), err)
	}
	l.waitsForEarlier()
}

// waitsForEarlier runs the study to its end, of which an earlier run has a classifier in the queue.
func (l *lab) waitsForEarlier() {
	l.t.Helper()
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(l.t.Context()) })
	l.wait("word of the earlier run", func() bool {
		return strings.Contains(l.out.String(), "already in the queue from an earlier run: job")
	})
	l.terminate("classifier")
	over.Wait()
	if err != nil {
		l.t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
}

// TestEarlier: what an earlier run has in the queue, whose process is gone, is waited for and not
// submitted again.
func TestEarlier(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.classifier")
	killed := &run{
		plan: l.plan, ws: l.ws, opts: l.options(), todo: l.plan.Stages, queued: map[*plan.Stage]string{},
		logs: map[*plan.Stage]string{}, watched: map[string]bool{},
	}
	if err := l.ws.Join(); err != nil {
		t.Fatal(err)
	}
	if err := killed.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.ws.Unlock()
	before := len(l.calls())
	l.waitsForEarlier()
	for _, call := range l.calls()[before:] {
		if strings.HasPrefix(call, "--parsable") {
			t.Errorf("submitted again: %s", call)
		}
	}
}

// TestAway: while Slurm's controller does not answer, what is finished is seen.
func TestAway(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.classifier")
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(t.Context()) })
	l.wait("the tasks", func() bool { return strings.Contains(l.out.String(), "job arrays submitted") })
	l.touch("away")
	l.wait("word of it", func() bool { return strings.Contains(l.out.String(), "it does not answer (squeue: ") })
	if err := os.Remove(l.file("away")); err != nil {
		t.Fatal(err)
	}
	l.terminate("classifier")
	over.Wait()
	if err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
}

// TestNoSlurm: commands that are missing, do not answer or refuse are one sentence that says what
// to do, and leave no job behind.
func TestNoSlurm(t *testing.T) {
	l := newLab(t, "")
	l.touch("refuse")
	testkit.WantError(t, l.run(t.Context()), userr.BadInput, "Slurm refused the job array of 1 task",
		"sbatch: error: invalid partition specified: gpu", "change [slurm] in ")
	if err := os.Remove(l.file("refuse")); err != nil {
		t.Fatal(err)
	}
	l.touch("away")
	testkit.WantError(t, l.run(t.Context()), userr.BadInput, "Slurm does not answer: squeue: ",
		"leave out --executor slurm")
	t.Setenv("PATH", "/nowhere")
	testkit.WantError(t, l.run(t.Context()), userr.BadInput, "the command squeue was not found: ",
		"leave out --executor slurm")
}

// TestFinishedMeanwhile: what another run finished since it was decided what is to run is finished,
// not a try of before.
func TestFinishedMeanwhile(t *testing.T) {
	l := newLab(t, "")
	l.mustRun()
	if err := Run(t.Context(), l.plan, l.ws, l.plan.Stages, l.options()); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
}
