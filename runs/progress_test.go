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

// clockwork is a progress with a clock of its own that nothing but the test moves.
func clockwork(t *testing.T, out *strings.Builder, quiet bool) (*progress, func(time.Duration)) {
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
	p := newProgress(out, quiet, workspace.Pace{}, todo, nil)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p.mu.Lock()
	p.now, p.started = func() time.Time { return now }, now
	p.mu.Unlock()
	return p, func(d time.Duration) {
		p.mu.Lock()
		now = now.Add(d)
		p.mu.Unlock()
		p.tick()
	}
}

func TestProgressInALog(t *testing.T) {
	var out strings.Builder
	p, pass := clockwork(t, &out, false)
	p.begin(p.todo[0])
	pass(2 * time.Second)
	p.end("")
	p.begin(p.todo[1])
	for i := range 61 { // a batch a second; a line every 30 s
		p.update(i, 100, "epoch 1,\nloss 3.1")
		pass(time.Second)
	}
	if _, err := p.Write([]byte("level=WARN msg=hm\n")); err != nil {
		t.Fatal(err)
	}
	pass(39 * time.Second)
	p.end("")
	p.begin(p.todo[2])
	pass(31 * time.Second)
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
	p, pass := clockwork(t, &out, false)
	p.mu.Lock()
	p.terminal, p.width = true, func() int { return 40 }
	p.mu.Unlock()
	p.begin(p.todo[1])
	p.update(1, 4, "loss 3.1")
	pass(time.Second)
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

// TestNarrowTerminals: what remains of the run is seen at any width, and of the stage what matters
// most.
func TestNarrowTerminals(t *testing.T) {
	var out strings.Builder
	p, pass := clockwork(t, &out, true)
	defer p.close()
	p.pace.Add(p.todo[2].Name, 5*time.Minute)
	p.skip()
	p.begin(p.todo[1])
	p.update(0, 400, "epoch 1 of 10, loss 3.1")
	pass(time.Minute)
	p.update(100, 400, "epoch 3 of 10, loss 3.1")
	p.stage.Label = "lambda_con 1.5, lambda_eps 0.15, seed 2"
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

// TestOverdue: of a stage that takes longer than was guessed nothing is known any more, and no time
// is said of the run, which would be too short.
func TestOverdue(t *testing.T) {
	var out strings.Builder
	p, pass := clockwork(t, &out, true)
	defer p.close()
	var told workspace.Running
	p.tell = func(r workspace.Running) { told = r }
	p.pace.Add(p.todo[2].Name, 300*time.Millisecond)
	p.skip()
	p.begin(p.todo[1]) // as long as the other
	pass(200 * time.Millisecond)
	if got := p.line(0); !strings.HasSuffix(got, "about 0.1s left; all: about 0.4s left") {
		t.Errorf("in time: %q", got)
	}
	pass(5 * time.Second)
	if got := p.line(0); !strings.HasSuffix(got, ": 5.2s so far; 1 stage after it") {
		t.Errorf("overdue: %q", got)
	}
	if told.Left != nil || told.All != nil {
		t.Errorf("overdue, status is told %v and %v seconds", told.Left, told.All)
	}
}

func TestQuietProgress(t *testing.T) {
	var out strings.Builder
	p, pass := clockwork(t, &out, true)
	p.begin(p.todo[0])
	pass(time.Minute)
	if _, err := p.Write([]byte("level=WARN msg=hm\n")); err != nil {
		t.Fatal(err)
	}
	p.end("failed")
	p.close()
	if out.String() != "level=WARN msg=hm\n" {
		t.Errorf("said %q, want the warning alone", out.String())
	}
}

// TestProgressTellsWhoElse: who asks learns that a run waits for others, and its end says how much
// all have done.
func TestProgressTellsWhoElse(t *testing.T) {
	var out strings.Builder
	p, pass := clockwork(t, &out, false)
	var told workspace.Running
	p.tell = func(r workspace.Running) { told = r }
	p.begin(p.todo[0])
	pass(time.Second)
	p.end("")
	p.wait(2)
	told.Alive = true
	if got, want := told.Between(), "1 of 3 stages done, waiting for other processes"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	p.other()
	p.begin(p.todo[2])
	if told.Note != "" {
		t.Errorf("in a stage it tells %q", told.Note)
	}
	p.end("")
	p.close()
	if want := "\n3 stages done in 1.0s, 1 of them by other processes\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("said %q, want %q at its end", out.String(), want)
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
