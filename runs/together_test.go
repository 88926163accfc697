package runs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// crew executes several runs of one plan at once in one workspace. The runs stand in for processes:
// each of them opens the workspace separately, so that its locks exclude the other runs.
type crew struct {
	*lab
	mu   sync.Mutex
	runs map[string]int // how often each stage ran, by NAME/ID
	work func(ctx context.Context, job *stage.Job) error
	// out returns the writer for the output of a run; nil: the runs are quiet
	out func() io.Writer
}

func newCrew(t *testing.T, set ...string) *crew {
	c := &crew{lab: newLab(t, set...), runs: map[string]int{}}
	c.work = func(_ context.Context, job *stage.Job) error {
		time.Sleep(time.Millisecond)
		return fakebackend.OneFile(job)
	}
	for _, k := range stages.Names() {
		c.funcs[k] = func(ctx context.Context, job *stage.Job) error {
			c.mu.Lock()
			c.runs[string(job.Name)+"/"+job.ID]++
			c.mu.Unlock()
			return c.work(ctx, job)
		}
	}
	return c
}

// The method together executes n runs at once and returns their errors.
func (c *crew) together(n int, o Options) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		ws, err := workspace.Open(c.ws.Dir)
		if err != nil {
			c.t.Fatal(err)
		}
		o := o // a copy, because each run has a different output
		o.Quiet, o.Out = true, &lines{}
		if c.out != nil {
			o.Quiet, o.Out = false, c.out()
		}
		all.Go(func() { errs[i] = Run(c.t.Context(), c.plan, ws, c.funcs.Run, o) })
	}
	all.Wait()
	return errs
}

// lines is a writer that discards everything. Several goroutines may use it at once.
type lines struct{ sync.Mutex }

func (l *lines) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return len(b), nil
}

// TestTogether: if several runs share a workspace, each stage runs only once, and only after its
// inputs are finished. All runs end when all stages are finished.
func TestTogether(t *testing.T) {
	c := newCrew(t, "masking.lambda_eps=[0.1,0.2,0.3]", "seeds=[1,2]")
	for i, err := range c.together(4, Options{}) {
		if err != nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
	for _, s := range c.plan.Stages {
		if n := c.runs[string(s.Name)+"/"+s.ID]; n != 1 || !c.ws.Done(s) {
			t.Errorf("%s ran %d times; finished: %t", s.Title(), n, c.ws.Done(s))
		}
	}
	for _, dir := range []string{"claims", "tmp"} {
		if left, _ := os.ReadDir(c.ws.Path(dir)); len(left) > 0 {
			t.Errorf("%s has %v", dir, left)
		}
	}
}

// asking is a writer. At the first write, it stores which processes run stages in a workspace.
type asking struct {
	lines
	of  *workspace.Workspace
	all []workspace.Running
}

func (a *asking) Write(b []byte) (int, error) {
	if a.all == nil {
		a.all, _ = a.of.Running()
	}
	return a.lines.Write(b)
}

// TestJoined: a run is listed as running as soon as it has joined the workspace, before its first
// stage.
func TestJoined(t *testing.T) {
	c := newCrew(t)
	ws, err := workspace.Open(c.ws.Dir)
	if err != nil {
		t.Fatal(err)
	}
	out := &asking{of: ws}
	if err := Run(t.Context(), c.plan, c.ws, c.funcs.Run, Options{Out: out}); err != nil {
		t.Fatal(err)
	}
	if len(out.all) != 1 || len(out.all[0].Command) == 0 || out.all[0].Line(0) != looking {
		t.Errorf("there is %+v", out.all)
	}
}

// beginning is a writer that calls the function in its field "begun" once, when the run starts its
// first stage or waits for a stage.
type beginning struct {
	lines
	once  sync.Once
	begun func()
}

func (b *beginning) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(": started")) || bytes.Contains(line, []byte("waiting for ")) {
		b.once.Do(b.begun)
	}
	return b.lines.Write(line)
}

// The type waited is a writer that releases a claim on a stage when the run prints that it waits
// for another process.
type waited struct {
	bytes.Buffer
	claim *workspace.Claim
}

func (w *waited) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("waiting for ")) && w.claim != nil {
		w.claim.Release()
		w.claim = nil
	}
	return w.Buffer.Write(line)
}

// TestWaitsForAnother: a run that waits for a stage in another process prints the name and the
// progress of that stage.
func TestWaitsForAnother(t *testing.T) {
	c := newCrew(t)
	theirs, err := workspace.Open(c.ws.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := theirs.Join(); err != nil {
		t.Fatal(err)
	}
	defer theirs.Unlock()
	s := c.plan.Stages[0]
	claim, err := theirs.Claim(s)
	if err != nil || claim == nil {
		t.Fatalf("%v, %v", claim, err)
	}
	theirs.Tell(workspace.Running{Report: workspace.Report{
		Stage: s.Name, ID: s.ID, Began: time.Now().Add(time.Hour), Done: 1, Total: 4, Note: "epoch 1",
	}})
	out := &waited{claim: claim}
	if err := Run(t.Context(), c.plan, c.ws, c.funcs.Run, Options{Out: out}); err != nil {
		t.Fatal(err)
	}
	want := "\nwaiting for " + s.Short() + " in another process: 25% (1/4), epoch 1, 0.0s so far; "
	if !bytes.Contains(out.Bytes(), []byte(want)) {
		t.Errorf("it says\n%s\nwant%s", out, want)
	}
}

// TestTogetherFailure checks that only one of several active runs tries a stage that fails. The
// other runs do not try the stage, and all runs report the failure. In this test the stage fails
// only after all runs have begun, because a run that begins later would try it again.
func TestTogetherFailure(t *testing.T) {
	c := newCrew(t, "seeds=[1,2]")
	const n = 3
	var all sync.WaitGroup
	all.Add(n)
	c.out = func() io.Writer { return &beginning{begun: all.Done} }
	work := c.work
	c.work = func(ctx context.Context, job *stage.Job) error {
		if job.Name == stages.Classifier {
			all.Wait()
			return errors.New("no luck")
		}
		return work(ctx, job)
	}
	for i, err := range c.together(n, Options{}) {
		if userr.CodeOf(err) != userr.StageFailed {
			t.Errorf("run %d: %v", i, err)
		}
	}
	for title, n := range c.runs {
		if n != 1 {
			t.Errorf("%s ran %d times", title, n)
		}
	}
}

// TestClaim: only one process at a time can claim a stage. A released claim leaves no file.
func TestClaim(t *testing.T) {
	l := newLab(t)
	second, err := workspace.Open(l.ws.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, ws := range []*workspace.Workspace{l.ws, second} {
		if err := ws.Join(); err != nil {
			t.Fatal(err)
		}
		defer ws.Unlock()
	}
	s := l.plan.Stages[0]
	a, err := l.ws.Claim(s)
	if err != nil || a == nil {
		t.Fatalf("the first claim: %v, %v", a, err)
	}
	if b, err := second.Claim(s); err != nil || b != nil {
		t.Errorf("a second claim: %v, %v", b, err)
	}
	if other, err := second.Claim(l.plan.Stages[1]); err != nil || other == nil {
		t.Errorf("another stage: %v, %v", other, err)
	} else {
		other.Release()
	}
	a.Release()
	if b, err := second.Claim(s); err != nil || b == nil {
		t.Errorf("after the release: %v, %v", b, err)
	} else {
		b.Release()
	}
	if left, _ := os.ReadDir(l.ws.Path("claims")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestTriedBefore: a worker that joins the run of another process does not retry a stage that has
// failed. A new run retries the stage.
func TestTriedBefore(t *testing.T) {
	l := newLab(t)
	broken := errors.New("the loss is NaN")
	whole := l.funcs[stages.SMLM]
	l.funcs[stages.SMLM] = func(context.Context, *stage.Job) error { return broken }
	testkit.WantError(t, l.run(t.Context(), Options{}), userr.StageFailed, broken.Error())
	l.funcs[stages.SMLM] = whole
	testkit.WantError(t, l.run(t.Context(), Options{joined: true}), userr.StageFailed, broken.Error())
	if len(l.ran) > 0 {
		t.Errorf("ran %v", l.ran)
	}
	l.mustRun(Options{})
}
