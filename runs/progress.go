package runs

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"golang.org/x/term"
)

// logInterval is the shortest time between two lines about one stage in a log.
const logInterval = 30 * time.Second

// resumeWindow is the time in which a resumed stage reports its checkpoint. What it reports later
// was done in this run.
const resumeWindow = 5 * time.Second

// tellInterval is the shortest time between two status notes about one stage.
const tellInterval = 2 * time.Second

// progress reports how a run goes. On a terminal it redraws one line. Elsewhere it prints lines: a
// stage's start and end, and between them at most one per logInterval.
type progress struct {
	mu       sync.Mutex
	out      io.Writer
	quiet    bool
	terminal bool
	width    func() int // of the terminal, in characters
	now      func() time.Time
	pace     workspace.Pace
	todo     []*plan.Stage // all of the run; index counts them
	index    int           // of the stage that runs, from 1
	stage    *plan.Stage   // nil between stages
	began    time.Time
	started  time.Time // of the run
	printed  time.Time // last line on this stage
	first    int       // done when the stage began: not 0 if it resumes from a checkpoint
	done     int
	total    int
	note     string
	finished int
	others   int  // finished by other processes meanwhile
	idle     bool // waiting for other processes, and reported
	failed   int
	told     time.Time               // last status note
	tell     func(workspace.Running) // writes status notes; nil: none
	stop     chan struct{}
	stopped  sync.WaitGroup
}

// newProgress starts the display of a run of the stages in todo. It writes to out. If tell is not
// nil, it is called with status notes.
func newProgress(
	out io.Writer, quiet bool, pace workspace.Pace, todo []*plan.Stage, tell func(workspace.Running),
) *progress {
	p := &progress{
		out: out, quiet: quiet, now: time.Now, pace: pace, todo: todo, started: time.Now(),
		stop: make(chan struct{}), tell: tell,
	}
	every := time.Second
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.terminal, every = true, 200*time.Millisecond
		p.width = func() int {
			w, _, err := term.GetSize(int(f.Fd()))
			if err != nil || w < 20 {
				return 80
			}
			return w
		}
	}
	p.stopped.Go(func() {
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				p.tick()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// begin starts a stage.
func (p *progress) begin(s *plan.Stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index++
	p.stage, p.began, p.printed = s, p.now(), p.now()
	p.first, p.done, p.total, p.note = 0, 0, 0, ""
	p.idle = false
	if !p.terminal {
		p.print(p.head() + ": started")
	}
	p.draw()
	p.leave()
}

// update is the Progress of a Job. It only stores its arguments, so it can be called every batch. A
// first call within resumeWindow reports the checkpoint, which is not work of this run.
func (p *progress) update(done, total int, note string) {
	p.mu.Lock()
	if p.total == 0 && p.now().Sub(p.began) < resumeWindow {
		p.first = done
	}
	p.done, p.total, p.note = done, total, note
	p.mu.Unlock()
}

// end ends the stage. outcome is "", "failed" or "interrupted".
func (p *progress) end(outcome string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := p.now().Sub(p.began)
	head := p.head()
	if outcome == "" {
		p.finished++
		p.pace.Add(p.stage.Name, took)
	}
	p.stage = nil
	if outcome == "failed" {
		p.failed++
	}
	p.leave()
	switch {
	case outcome != "":
		p.print(fmt.Sprintf("%s: %s after %s", head, outcome, wording.Short(took)))
	case !p.terminal:
		p.print(fmt.Sprintf("%s: done in %s%s", head, wording.Short(took), p.whole(0, true)))
	}
}

// skip counts a stage that will not run.
func (p *progress) skip() {
	p.mu.Lock()
	p.index++
	p.mu.Unlock()
}

// other counts a stage that another process has finished.
func (p *progress) other() {
	p.skip()
	p.mu.Lock()
	p.others++
	p.mu.Unlock()
}

// wait reports, once between two stages, that other processes run the rest.
func (p *progress) wait(left int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle {
		return
	}
	p.idle = true
	p.leave()
	p.print("waiting for other processes: " + wording.Count(left, "stage") + " left")
}

// close removes the live line and reports how much was done.
func (p *progress) close() {
	close(p.stop)
	p.stopped.Wait()
	if p.index > 0 {
		by := ""
		switch {
		case p.others > 0 && p.finished == 0:
			by = ", by other processes"
		case p.others > 0:
			by = fmt.Sprintf(", %d of them by other processes", p.others)
		}
		p.say(fmt.Sprintf("%s done in %s%s", wording.Count(p.finished+p.others, "stage"),
			wording.Short(p.now().Sub(p.started)), by))
	}
}

// say prints a separate line.
func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(line)
}

// warn prints a separate line, even when quiet.
func (p *progress) warn(line string) {
	_, _ = p.Write([]byte("smlm-exp: " + line + "\n"))
}

// Write prints the log's warnings, even when quiet. text must be whole lines.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	n, err := p.out.Write(text)
	p.draw()
	return n, err
}

// tick updates the display.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage == nil {
		return
	}
	if p.now().Sub(p.told) >= tellInterval {
		p.leave()
	}
	if p.terminal {
		p.draw()
	} else if p.now().Sub(p.printed) >= logInterval {
		p.printed = p.now()
		p.print(p.line(0))
	}
}

// head names the stage and its number in the run: "[3/12] smlm 3fa9c1 (lambda_eps 0.15)".
func (p *progress) head() string {
	return fmt.Sprintf("[%d/%d] %s", p.index, len(p.todo), p.stage.Title())
}

// line returns head, the progress of the stage, its time so far, and the estimated time left for it
// and the run. If this is wider than columns (0: no limit), the least important parts are left out;
// the time left for the run goes last.
func (p *progress) line(columns int) string {
	took := p.now().Sub(p.began)
	share, counts, note, left := "", "", "", ""
	if p.total > 0 {
		share = fmt.Sprintf("%d%%", 100*p.done/p.total)
		counts = fmt.Sprintf(" (%d/%d)", p.done, p.total)
	}
	if p.note != "" {
		note = wording.OneLine(p.note)
	}
	soFar := wording.Short(took) + " so far"
	present, known := p.left(took)
	if known {
		left = "about " + wording.Short(present) + " left"
	}
	whole, named := p.whole(present, known), len([]rune(p.head()))
	short := named - len([]rune(p.stage.Title())) + len(p.stage.Short()) // without the label
	for _, try := range []struct {
		parts []string
		least int // the shortest head
	}{
		{[]string{share + counts, note, soFar, left}, named},
		{[]string{share + counts, note, cmp.Or(left, soFar)}, named},
		{[]string{share, note, cmp.Or(left, soFar)}, named},
		{[]string{share, cmp.Or(left, soFar)}, short},
		{[]string{cmp.Or(left, soFar)}, short},
		{nil, short},
	} {
		tail := strings.Join(lists.Where(try.parts, func(s string) bool { return s != "" }), ", ") + whole
		if len(try.parts) == 0 {
			tail = strings.TrimPrefix(tail, "; ")
		}
		room := columns - len(": ") - len([]rune(tail))
		if columns == 0 {
			room = named
		}
		if tail != "" && room >= try.least {
			head := wording.Clip(p.head(), room)
			if room < min(named, short+len(" (label…")) { // the label would be unreadable
				head = string([]rune(head)[:short])
			}
			return head + ": " + tail
		}
	}
	return wording.Clip(cmp.Or(strings.TrimPrefix(whole, "; "), p.head()), columns)
}

// left estimates the time left for the running stage, from its own pace or else from the mean time
// of finished stages with the same name. It returns false if there is no estimate.
func (p *progress) left(took time.Duration) (time.Duration, bool) {
	if did := p.done - p.first; did > 0 && p.total >= p.done {
		return time.Duration(float64(took) / float64(did) * float64(p.total-p.done)), true
	}
	d, ok := p.pace.Of(p.stage.Name)
	return d - took, ok && d > took // a longer run has disproved the estimate
}

// whole describes the rest of the run: "; all: about 4m10s left". present is the time left for the
// running stage, if known. If the time of any stage is unknown, whole returns the number of stages
// that follow instead.
func (p *progress) whole(present time.Duration, known bool) string {
	sum, rest := p.rest(present)
	switch {
	case p.waiting() == 0:
		return ""
	case known && rest && sum > 0:
		return "; all: about " + wording.Short(sum) + " left"
	}
	return "; " + wording.Count(p.waiting(), "stage") + " after it"
}

// waiting counts the stages after the running one.
func (p *progress) waiting() int { return max(len(p.todo)-p.index, 0) }

// rest adds the estimated times of the stages after the running one to present. known is false if
// the time of one is unknown.
func (p *progress) rest(present time.Duration) (sum time.Duration, known bool) {
	sum, known = present, true
	for _, s := range p.todo[len(p.todo)-p.waiting():] {
		d, ok := p.pace.Of(s.Name)
		sum += d
		known = known && ok
	}
	return sum, known
}

// draw redraws the live line of a terminal.
func (p *progress) draw() {
	if p.quiet || !p.terminal || p.stage == nil {
		return
	}
	line := wording.Clip(wording.VisibleLine(p.line(p.width()-1)), p.width()-1)
	_, _ = io.WriteString(p.out, "\r\x1b[K"+line)
}

// erase removes the live line.
func (p *progress) erase() {
	if !p.quiet && p.terminal {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}

// print prints a separate line, unless quiet.
func (p *progress) print(line string) {
	if p.quiet {
		return
	}
	p.erase()
	_, _ = fmt.Fprintln(p.out, wording.Visible(line))
	p.draw()
}

// Notes of a run between stages.
const (
	looking = "looking at what is finished"
	waiting = "waiting for other processes"
)

// leave writes a status note about the run.
func (p *progress) leave() {
	p.told = p.now()
	if p.tell == nil {
		return
	}
	r := workspace.Running{Stages: len(p.todo), Finished: p.finished, Failed: p.failed, Index: p.index}
	present, known := time.Duration(0), false
	if s := p.stage; s != nil {
		r.Stage, r.ID, r.Label, r.Began = s.Name, s.ID, s.Label, p.began
		r.Done, r.Total, r.Note = p.done, p.total, wording.OneLine(p.note)
		if present, known = p.left(p.now().Sub(p.began)); known {
			r.Left = seconds(present)
		}
	}
	if p.idle {
		r.Note = waiting
	}
	if all, rest := p.rest(present); rest && (known || p.stage == nil) {
		r.All = seconds(all)
	}
	p.tell(r)
}

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}
