package slurm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
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
	// Enough training text for the models that measure outputs.
	testkit.WriteLines(t, filepath.Join(filepath.Join(dir, "data"), "train.0.txt"), 120, "other words")
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

// lab is an experiment with its workspace, and the fake Slurm of testdata/fake.
type lab struct {
	t    *testing.T
	plan *plan.Plan
	ws   *workspace.Workspace
	fake string // folder of the fake Slurm
	out  text
}

// text is a buffer that one goroutine may read while another writes to it.
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
	t.Cleanup(l.empty) // no worker outlives the test
	return l
}

// empty cancels all jobs in the queue and waits until they are gone.
func (l *lab) empty() {
	_ = os.Remove(l.file("away"))
	text, _ := os.ReadFile(l.file("last")) // the file is missing if no job was submitted
	last, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	for job := firstJob; job <= last; job++ {
		for id := strconv.Itoa(job); len(l.queue(id)) > 0; time.Sleep(20 * time.Millisecond) {
			_ = cancel(id)
		}
	}
}

// firstJob is the number that the fake sbatch gives to the first job.
const firstJob = 11

// queue returns the number of a job's workers in the queue, by state.
func (l *lab) queue(job string) map[string]int {
	l.t.Helper()
	live, err := queue(context.Background(), strings.TrimSpace(job))
	if err != nil {
		l.t.Fatal(err)
	}
	return live
}

// wait calls the function "is" until it returns true. The test fails if that takes longer than
// testkit.Hangs.
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

func (l *lab) remove(name string) {
	l.t.Helper()
	if err := os.Remove(l.file(name)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) options() Options {
	text, err := os.ReadFile(l.plan.Experiment.Path)
	if err != nil {
		l.t.Fatal(err)
	}
	return Options{
		Command: []string{os.Args[0], "run", l.plan.Experiment.Path}, Threads: 1, Workers: 3, File: text, Out: &l.out,
	}
}

func (l *lab) run(ctx context.Context) error { return l.runWith(ctx, l.options()) }

func (l *lab) runWith(ctx context.Context, o Options) error {
	l.t.Helper()
	todo, err := Todo(l.plan, l.ws)
	if err != nil {
		l.t.Fatal(err)
	}
	return Run(ctx, l.plan, l.ws, todo, o)
}

// begin runs the study in the background. It returns a function that waits until the run has ended
// and then returns the error of the run.
func (l *lab) begin(ctx context.Context) (end func() error) {
	var err error
	var over sync.WaitGroup
	over.Go(func() { err = l.run(ctx) })
	return func() error {
		over.Wait()
		return err
	}
}

func (l *lab) mustRun() {
	l.t.Helper()
	if err := l.run(l.t.Context()); err != nil {
		l.t.Fatalf("%v\n%s", err, l.out.String())
	}
}

// calls returns the command lines of sbatch and scancel so far.
func (l *lab) calls() []string {
	l.t.Helper()
	text, err := os.ReadFile(l.file("calls"))
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// The method "waits" blocks until a stage with the given name is waiting (see oneStage). It returns
// the name of the worker that runs this stage, such as "11_1".
func (l *lab) waits(stage string) (task string) {
	l.t.Helper()
	l.wait(stage, func() bool {
		text, _ := os.ReadFile(l.file("waits." + stage))
		task = string(text)
		return task != ""
	})
	return task
}

// The method whole checks that every stage is finished and ran once.
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

// TestRun: one array of workers runs all stages, with the options and the setup lines of [slurm]
// unchanged. A second run has nothing left to do.
func TestRun(t *testing.T) {
	l := newLab(t, `[slurm]
options = ["--nice=3", "-p", "a b"]
setup = ["export ONE=1", "cd /"]
`)
	l.mustRun()
	l.whole()
	calls := l.calls()
	const want = `^--job-name=smlm-exp --requeue --open-mode=append --signal=B:TERM@120 --output=(\S+)/%a\.log --nice=3 -p a b ` +
		`--parsable --array=1-3 (\S+)/worker\.sh$`
	parts := regexp.MustCompile(want).FindStringSubmatch(calls[0])
	if parts == nil || parts[1] != parts[2] || filepath.Dir(parts[1]) != l.ws.Path("slurm") {
		t.Fatalf("calls: %q", calls)
	}
	for _, call := range calls[1:] { // calls[1:] is empty if all workers have ended
		if call != "scancel --state=PENDING 11" {
			t.Errorf("calls: %q", calls)
		}
	}
	script, err := os.ReadFile(filepath.Join(parts[1], "worker.sh"))
	if err != nil || !strings.HasPrefix(string(script), "#!/bin/bash\nexport ONE=1\ncd /\nexec ") {
		t.Errorf("%s, %v", script, err)
	}
	for _, part := range []string{"slurm: 3 workers submitted, job 11; their logs are in " + parts[1], "[1/", ": done in "} {
		if !strings.Contains(l.out.String(), part) {
			t.Errorf("%q is not said:\n%s", part, l.out.String())
		}
	}
	for _, k := range []string{"1", "2", "3"} {
		if _, err := os.Stat(filepath.Join(parts[1], k+".log")); err != nil {
			t.Error(err)
		}
	}
	l.mustRun()
	if n := len(l.calls()); n != len(calls) {
		t.Errorf("a finished run called Slurm %d times", n-len(calls))
	}
}

// TestCores: a worker uses as many threads as Slurm gives it cores, unless the run sets a number of
// threads.
func TestCores(t *testing.T) {
	l := newLab(t, "")
	r := &run{plan: l.plan, opts: l.options()}
	r.opts.Threads = 0
	if script := r.script("/a b/e.toml"); !strings.HasSuffix(script, ` --threads "$SLURM_CPUS_ON_NODE" --slurm-worker '/a b/e.toml'`+"\n") {
		t.Error(script)
	}
	r.opts.Threads = 4
	if script := r.script("e.toml"); !strings.HasSuffix(script, " --threads 4 --slurm-worker e.toml\n") {
		t.Error(script)
	}
}

// TestFileOfSubmission checks that workers run the experiment file as it was when the job was
// submitted.
func TestFileOfSubmission(t *testing.T) {
	l := newLab(t, "")
	o := l.options()
	testkit.WriteFile(t, l.plan.Experiment.Path, "no experiment")
	if err := l.runWith(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
}

// TestQueueIsFull: when all stages are finished, workers that have not begun are cancelled.
func TestQueueIsFull(t *testing.T) {
	l := newLab(t, "")
	l.touch("full")
	l.mustRun()
	l.whole()
	l.wait("an empty queue", func() bool { return len(l.queue("11")) == 0 })
}

// TestFailure: each run tries a failing stage only once, even if other workers begin later, and
// reports the error of the stage. Stages that need the failed stage are skipped, other stages run,
// and the next run tries the failed stage again.
func TestFailure(t *testing.T) {
	l := newLab(t, "")
	l.touch("fail.smlm")
	for n := 1; n <= 2; n++ {
		err := l.run(t.Context())
		testkit.WantError(t, err, userr.StageFailed, "stage smlm ", "failed: the loss is not a number (its record is ",
			"skipped: ")
		if lines := strings.Count(err.Error(), "\n"); lines != 2 { // two failed stages, one per threshold, and what is skipped
			t.Errorf("%d lines more than one:\n%v", lines, err)
		}
		l.empty()
		if tried, err := os.ReadFile(l.file("tried")); err != nil || strings.Count(string(tried), "smlm/") != 2*n {
			t.Errorf("after %d runs there were these tries (%v):\n%s", n, err, tried)
		}
	}
	for _, s := range l.plan.Stages {
		if s.Name == "classifier" && !l.ws.Done(s) {
			t.Errorf("%s is not finished", s.Title())
		}
	}
	l.remove("fail.smlm")
	l.mustRun()
	l.whole()
}

// TestWorkerDies: when a worker is killed, another worker takes over its stage.
func TestWorkerDies(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.divlstm")
	end := l.begin(t.Context())
	l.kill(l.waits("divlstm"))
	l.remove("wait.divlstm")
	if err := end(); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
}

// kill kills the process of a worker, such as "11_1".
func (l *lab) kill(task string) {
	l.t.Helper()
	text, err := os.ReadFile(l.file(task + ".pid"))
	if err != nil {
		l.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// TestCancelled: if all workers are cancelled, the error says what is left and gives the last line
// of the log. The next run continues from the checkpoint.
func TestCancelled(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.divlstm")
	end := l.begin(t.Context())
	l.waits("divlstm")
	if err := cancel("11"); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, end(), userr.StageFailed, "the workers have ended without ", "their logs are in "+l.ws.Path("slurm"))
	l.mustRun()
	l.whole()
}

// TestInterrupted: after Ctrl-C, the run cancels its workers and reports this. The next run
// continues.
func TestInterrupted(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.classifier")
	ctx, interrupt := context.WithCancel(t.Context())
	end := l.begin(ctx)
	l.waits("classifier")
	interrupt()
	testkit.WantError(t, end(), userr.Interrupted, "interrupted: ", "Slurm was asked to cancel job 11")
	l.wait("the workers to end", func() bool { return len(l.queue("11")) == 0 })
	l.mustRun()
	l.whole()
}

// TestHungUp: if the terminal is closed, the workers stay in the queue, and the next run shares the
// stages with them.
func TestHungUp(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.classifier")
	ctx, hangUp := context.WithCancelCause(t.Context())
	end := l.begin(ctx)
	l.waits("classifier")
	hangUp(ErrHangUp)
	testkit.WantError(t, end(), userr.Interrupted, "interrupted: ", "job 11 continues without this program")
	if len(l.queue("11")) == 0 {
		t.Error("no worker is left in the queue")
	}
	end = l.begin(t.Context())
	l.wait("the next run", func() bool { return strings.Contains(l.out.String(), "job 12") })
	l.remove("wait.classifier")
	if err := end(); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
}

// TestAway: finished stages are noticed even while Slurm's controller does not answer.
func TestAway(t *testing.T) {
	l := newLab(t, "")
	l.touch("wait.classifier")
	end := l.begin(t.Context())
	l.waits("classifier")
	l.touch("away")
	l.wait("word of it", func() bool { return strings.Contains(l.out.String(), "it does not answer (squeue: ") })
	l.remove("wait.classifier")
	if err := end(); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
}

// TestNoSlurm: if a Slurm command is missing or fails, the error is one sentence that says what to
// do.
func TestNoSlurm(t *testing.T) {
	l := newLab(t, "")
	l.touch("refuse")
	testkit.WantError(t, l.run(t.Context()), userr.BadInput, "Slurm refused the job array: "+
		"sbatch: error: invalid partition specified: gpu", "change slurm.options in ")
	l.remove("refuse")
	path := os.Getenv("PATH")
	t.Setenv("PATH", "/nowhere")
	testkit.WantError(t, l.run(t.Context()), userr.BadInput, "the command sbatch was not found: ",
		"leave out --executor slurm")
	t.Setenv("PATH", path)
}

// TestFinishedMeanwhile: if another run finishes stages after the list of stages to run was made,
// these stages count as finished.
func TestFinishedMeanwhile(t *testing.T) {
	l := newLab(t, "")
	l.mustRun()
	if err := Run(t.Context(), l.plan, l.ws, l.plan.Stages, l.options()); err != nil {
		t.Fatalf("%v\n%s", err, l.out.String())
	}
	l.whole()
}
