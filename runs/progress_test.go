package runs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// board stands in for the workspace. It keeps the last status note of this process and returns the
// notes of other processes that a test invents.
type board struct {
	last   workspace.Running
	theirs []workspace.Running
}

func (b *board) Tell(r workspace.Running) { b.last = r }

func (b *board) Others() []workspace.Running { return b.theirs }

// clockwork is a progress display with a clock that only the test moves.
type clockwork struct {
	*progress
	board
	todo  []*plan.Stage
	clock time.Time
}

func newClockwork(t *testing.T, out *strings.Builder, quiet bool) *clockwork {
	t.Helper()
	data := &plan.Stage{Name: stages.Prepare, ID: "aaaaaaaaaaaa"}
	todo := []*plan.Stage{
		data,
		{
			Name:   stages.SMLM,
			ID:     "bbbbbbbbbbbb",
			Label:  "lambda_eps 0.15",
			Inputs: map[string]*plan.Stage{"prepare": data},
		},
		{
			Name:   stages.SMLM,
			ID:     "cccccccccccc",
			Label:  "lambda_eps 0.5",
			Inputs: map[string]*plan.Stage{"prepare": data},
		},
	}
	c := &clockwork{todo: todo, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	c.progress = newProgress(out, quiet, workspace.Pace{}, todo, &c.board)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.started = func() time.Time { return c.clock }, c.clock
	return c
}

func (c *clockwork) pass(d time.Duration) {
	c.mu.Lock()
	c.clock = c.clock.Add(d)
	c.mu.Unlock()
	c.tick()
}

func TestProgressInALog(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, false)
	p.begin(p.todo[0])
	p.pass(2 * time.Second)
	p.end("")
	p.begin(p.todo[1])
	for i := range 61 { // one batch per second; a line is printed every 30 s
		p.update(i, 100, "epoch 1,\nloss 3.1")
		p.pass(time.Second)
	}
	if _, err := p.Write([]byte("level=WARN msg=hm\n")); err != nil {
		t.Fatal(err)
	}
	p.pass(39 * time.Second)
	p.end("")
	p.begin(p.todo[2])
	p.pass(31 * time.Second)
	p.end("failed")
	p.close()
	want := strings.ReplaceAll(`[1/3] prepare aaaaaa: started
[1/3] prepare aaaaaa: done in 2.0s; 2 stages after it
STAGE: started
STAGE: 29% (29/100), epoch 1, loss 3.1, 30s so far, about 1m13s left; 1 stage after it
STAGE: 59% (59/100), epoch 1, loss 3.1, 1m00s so far, about 42s left; 1 stage after it
level=WARN msg=hm
STAGE: 60% (60/100), epoch 1, loss 3.1, 1m40s so far, about 1m07s left; 1 stage after it
STAGE: done in 1m40s; all: about 1m40s left
[3/3] smlm cccccc (lambda_eps 0.5): started
[3/3] smlm cccccc (lambda_eps 0.5): 31s so far, about 1m09s left
[3/3] smlm cccccc (lambda_eps 0.5): failed after 31s
2 stages done in 2m13s
`, "STAGE", "[2/3] smlm bbbbbb (lambda_eps 0.15)")
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("log (-want +got):\n%s", d)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, false)
	p.mu.Lock()
	p.terminal, p.width = true, func() int { return 40 }
	p.mu.Unlock()
	p.begin(p.todo[1])
	p.update(1, 4, "loss 3.1")
	p.pass(time.Second)
	if _, err := p.Write([]byte("level=WARN msg=hm\n")); err != nil {
		t.Fatal(err)
	}
	p.end("")
	p.close()
	const clear = "\r\x1b[K"
	first := clear + "[1/3] smlm bbbbbb: 2 stages after it"
	live := clear + "[1/3] smlm bbbbbb: 2 stages after it"
	want := first + live + clear + "level=WARN msg=hm\n" + live + clear + "1 stage done in 1.0s\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("terminal (-want +got):\n%s", d)
	}
}

// TestNarrowTerminals: the line shows the estimated time left for the run at any width. Details of
// the stage are left out if they do not fit, the least important first.
func TestNarrowTerminals(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, true)
	defer p.close()
	p.pace.Add(p.todo[2].Name, 5*time.Minute)
	p.skip(p.todo[0])
	p.begin(p.todo[1])
	p.update(0, 400, "epoch 1 of 10, loss 3.1")
	p.pass(time.Minute)
	p.update(100, 400, "epoch 3 of 10, loss 3.1")
	p.run.Label = "lambda_con 1.5, lambda_eps 0.15, seed 2"
	head := "[2/3] smlm bbbbbb (lambda_con 1.5, lambda_eps 0.15, seed 2): "
	for columns, want := range map[int]string{
		0:   head + "25% (100/400), epoch 3 of 10, loss 3.1, 1m00s so far, about 3m00s left; all: about 8m00s left",
		159: head + "25% (100/400), epoch 3 of 10, loss 3.1, 1m00s so far, about 3m00s left; all: about 8m00s left",
		150: head + "25% (100/400), epoch 3 of 10, loss 3.1, about 3m00s left; all: about 8m00s left",
		135: head + "25%, epoch 3 of 10, loss 3.1, about 3m00s left; all: about 8m00s left",
		79:  "[2/3] smlm bbbbbb (lambda_con 1.…: 25%, about 3m00s left; all: about 8m00s left",
		60:  "[2/3] smlm bbbbbb: about 3m00s left; all: about 8m00s left",
		50:  "[2/3] smlm bbbbbb (lambda_…: all: about 8m00s left",
		45:  "[2/3] smlm bbbbbb: all: about 8m00s left",
		30:  "all: about 8m00s left",
		19:  "all: about 8m00s l…",
	} {
		if got := p.line(columns); got != want || columns > 0 && len([]rune(got)) > columns {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}

// TestOverdue: once a stage takes longer than estimated, no time left is shown for the stage or for
// the run, because any estimate would be too short.
func TestOverdue(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, true)
	defer p.close()
	p.pace.Add(p.todo[2].Name, 300*time.Millisecond)
	p.skip(p.todo[0])
	p.begin(p.todo[1]) // its time is estimated from the pace of smlm stages, which was set above
	p.pass(200 * time.Millisecond)
	if got := p.line(0); !strings.HasSuffix(got, "about 0.1s left; all: about 0.4s left") {
		t.Errorf("in time: %q", got)
	}
	p.pass(5 * time.Second)
	if got := p.line(0); !strings.HasSuffix(got, ": 5.2s so far; 1 stage after it") {
		t.Errorf("overdue: %q", got)
	}
	if p.last.Left != nil || p.last.All != nil {
		t.Errorf("overdue, status is told %v and %v seconds", p.last.Left, p.last.All)
	}
}

func TestQuietProgress(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, true)
	p.begin(p.todo[0])
	p.pass(time.Minute)
	if _, err := p.Write([]byte("level=WARN msg=hm\n")); err != nil {
		t.Fatal(err)
	}
	p.end("failed")
	p.close()
	if out.String() != "level=WARN msg=hm\n" {
		t.Errorf("said %q, want the warning alone", out.String())
	}
}

// TestProgressTellsWhoElse checks that the status note says whether the run waits for other
// processes, and that the last line of the run says how many stages other processes have finished.
func TestProgressTellsWhoElse(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, false)
	p.begin(p.todo[0])
	p.pass(time.Second)
	p.end("")
	p.wait()
	if got, want := p.last.Line(0), "1 of 3 stages done, waiting for other processes"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	p.other(p.todo[1])
	p.begin(p.todo[2])
	if p.last.Note != "" {
		t.Errorf("in a stage it tells %q", p.last.Note)
	}
	p.end("")
	p.close()
	if want := "\n3 stages done in 1.0s, 1 of them by other processes\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("said %q, want %q at its end", out.String(), want)
	}
}

// TestWaiting: a process that waits shows the stage that another process runs, in the same words on
// a terminal, in a log and in its status note. The time left for the whole run includes this stage.
func TestWaiting(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, false)
	p.begin(p.todo[0])
	p.pass(17 * time.Second)
	p.end("")
	left, s := 554.0, p.todo[1]
	p.theirs = []workspace.Running{
		{Report: workspace.Report{Stage: stages.SMLM, ID: "dddddddddddd"}}, // a stage of another experiment
		{Report: workspace.Report{Stage: s.Name, ID: s.ID}, Waits: true},   // a process that waits as well
		{Report: workspace.Report{
			Stage: s.Name, ID: s.ID, Label: s.Label, Began: p.clock.Add(-369 * time.Second),
			Done: 536, Total: 1279, Note: "epoch 2/3 loss 0.597", Left: &left,
		}},
	}
	p.wait()
	p.wait()
	for range 30 {
		p.pass(time.Second)
	}
	const head, until = "waiting for smlm bbbbbb (lambda_eps 0.15) in another process: ", ", about 9m14s left; "
	const middle = "41% (536/1279), epoch 2/3 loss 0.597, "
	last := head + middle + "6m39s so far" + until + "1 stage after it"
	want := head + middle + "6m09s so far" + until + "1 stage after it\n" + last + "\n"
	if !strings.HasSuffix(out.String(), "after it\n"+want) {
		t.Errorf("log:\n%s\nwant at its end:\n%s", out.String(), want)
	}
	if got := p.last.Line(0); got != last {
		t.Errorf("status shows %q, want %q", got, last)
	}

	p.pace.Add(stages.SMLM, 6*time.Second)
	if got, want := p.line(0), "; all: about 9m20s left"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q at its end", got, want)
	}
	for columns, want := range map[int]string{
		130: head + "41%, epoch 2/3 loss 0.597" + until + "all: about 9m20s left",
		90:  "waiting for smlm bbbbbb in another process: 41%, about 9m14s left; all: about 9m20s left",
		70:  "waiting for smlm bbbbbb in another process: all: about 9m20s left",
	} {
		if got := p.line(columns); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
	p.terminal, p.width = true, func() int { return 71 }
	out.Reset()
	p.tick()
	if want := "\r\x1b[K" + p.line(70); out.String() != want {
		t.Errorf("a terminal shows %q, want %q", out.String(), want)
	}

	p.begin(p.todo[2]) // the time left for the run includes the other process's stage
	p.update(0, 100, "")
	p.pass(4 * time.Second)
	p.update(50, 100, "")
	if got, want := p.line(0), "about 4.0s left; all: about 9m14s left"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q at its end", got, want)
	}
	p.end("")
	p.theirs = nil // the other process is gone
	p.wait()
	if got, want := p.line(0), "2 of 3 stages done, waiting for other processes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out.Reset()
	p.close()
	if want := "\r\x1b[K2 stages done in 51s\n"; out.String() != want {
		t.Errorf("it ends with %q, want %q", out.String(), want)
	}
}

// TestRestartedTraining: after a training continues from a checkpoint or starts again, the time
// left is estimated only from the steps since then.
func TestRestartedTraining(t *testing.T) {
	var out strings.Builder
	p := newClockwork(t, &out, true)
	defer p.close()
	p.begin(p.todo[1])
	for _, c := range []struct {
		done int
		note string
		want string
	}{
		{900, "epoch 9/10", "90% (900/1000), epoch 9/10, 10s so far; 2 stages after it"},
		{950, "epoch 10/10", "95% (950/1000), epoch 10/10, 20s so far, about 10s left; 2 stages after it"},
		{1, "attempt 2 of 4, epoch 1/10", "0% (1/1000), attempt 2 of 4, epoch 1/10, 30s so far; 2 stages after it"},
		{101, "attempt 2 of 4, epoch 2/10", "10% (101/1000), attempt 2 of 4, epoch 2/10, 40s so far, about 1m30s left; 2 stages after it"},
	} {
		p.pass(10 * time.Second)
		p.update(c.done, 1000, c.note)
		if got := p.line(0); !strings.HasSuffix(got, ": "+c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 3240 * time.Millisecond: "3.2s", 42 * time.Second: "42s", 125 * time.Second: "2m05s",
		62 * time.Minute:        "1h02m",
		9960 * time.Millisecond: "10s", 59700 * time.Millisecond: "1m00s", 3599600 * time.Millisecond: "1h00m",
	} {
		if got := wording.Short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
