package runs

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"golang.org/x/term"
)

// logInterval is the shortest time between two lines about one stage in a log.
const logInterval = 30 * time.Second

// tellInterval is the shortest time between two status notes about one stage.
const tellInterval = 2 * time.Second

// The interface notes writes and reads the status notes of a workspace. A status note says what one
// process is doing. Only tests implement this interface by something else than a
// *workspace.Workspace.
type notes interface {
	Tell(r workspace.Running)    // writes this process's note
	Others() []workspace.Running // reads the notes of other processes
}

// progress shows how a run goes. On a terminal it redraws one line. Otherwise it prints a line when
// a stage starts and ends, and in between at most one line per logInterval.
type progress struct {
	mu       sync.Mutex
	out      io.Writer
	quiet    bool
	terminal bool
	width    func() int // returns the width of the terminal in characters
	now      func() time.Time
	pace     workspace.Pace
	notes    notes
	run      workspace.Running                 // what this process does now
	rest     []*plan.Stage                     // stages that this process has not begun and nobody has finished
	others   map[*plan.Stage]*workspace.Report // the stages in the list "rest" that other processes run
	started  time.Time                         // when the run started
	printed  time.Time                         // when the last line about the current stage was printed
	told     time.Time                         // when the last status note was written
	looked   time.Time                         // when the notes of other processes were last read
	counted  time.Time                         // when the stage first reported progress; reset if its training restarts
	first    int                               // number of steps done at the time "counted"; not 0 after a checkpoint
	byOthers int                               // number of stages that other processes have finished
	warned   map[string]bool                   // warnings that warnOnce has printed
	stop     chan struct{}
	stopped  sync.WaitGroup
}

// newProgress starts the display of a run of the stages in todo. It writes to out.
func newProgress(out io.Writer, quiet bool, pace workspace.Pace, todo []*plan.Stage, notes notes) *progress {
	p := &progress{
		out: out, quiet: quiet, now: time.Now, pace: pace, rest: slices.Clone(todo), started: time.Now(),
		stop: make(chan struct{}), notes: notes, run: workspace.Running{Stages: len(todo)},
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

// begin shows that this process starts a stage.
func (p *progress) begin(s *plan.Stage) {
	p.skip(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printed, p.run.Waits = p.now(), false
	p.run.Report = workspace.Report{Stage: s.Name, ID: s.ID, Label: s.Label, Began: p.now()}
	p.tell()
	if !p.terminal {
		p.print(p.run.Head() + ": started")
	}
	p.draw()
}

// update is the function in the field Progress of a Job. It only stores its arguments, so it can be
// called every batch. If the first call for a stage already reports finished steps, these come from
// a checkpoint, and the speed is measured from there. If done decreases, the training has started
// again, and the speed is measured from the new value.
func (p *progress) update(done, total int, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &p.run
	if total != r.Total || done < r.Done {
		p.first, p.counted = done, p.now()
	}
	r.Done, r.Total, r.Note = done, total, note
}

// end shows how the current stage ended. outcome is "failed", "interrupted" or, after success, "".
func (p *progress) end(outcome string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	head, took := p.run.Head(), p.now().Sub(p.run.Began)
	switch outcome {
	case "":
		p.run.Finished++
		p.pace.Add(p.run.Stage, took)
	case "failed":
		p.run.Failed++
	}
	p.run.Report = workspace.Report{}
	p.tell()
	switch {
	case outcome != "":
		p.print(fmt.Sprintf("%s: %s after %s", head, outcome, wording.Short(took)))
	case !p.terminal:
		p.print(fmt.Sprintf("%s: done in %s%s", head, wording.Short(took), p.run.Rest()))
	}
}

// skip removes a stage from the list "rest" and counts it. Either this process begins the stage
// now, or it will not run the stage.
func (p *progress) skip(s *plan.Stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.Index++
	p.rest = slices.DeleteFunc(p.rest, func(r *plan.Stage) bool { return r == s })
}

// The method other counts a stage that another process has finished.
func (p *progress) other(s *plan.Stage) {
	p.skip(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byOthers++
	p.tell()
}

// wait shows what other processes run, until the next stage begins.
func (p *progress) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run.Waits {
		return
	}
	p.printed, p.run.Waits = p.now(), true
	p.tell()
	if !p.terminal {
		p.print(p.run.Line(0))
	}
	p.draw()
}

// close removes the live line and reports how much was done.
func (p *progress) close() {
	close(p.stop)
	p.stopped.Wait()
	p.run.Waits = false // so that nothing draws the line again
	if p.run.Index == 0 {
		p.erase()
		return
	}
	by := ""
	switch {
	case p.byOthers > 0 && p.run.Finished == 0:
		by = ", by other processes"
	case p.byOthers > 0:
		by = fmt.Sprintf(", %d of them by other processes", p.byOthers)
	}
	p.say(fmt.Sprintf("%s done in %s%s", wording.Count(p.run.Finished+p.byOthers, "stage"),
		wording.Short(p.now().Sub(p.started)), by))
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

// warnOnce prints a warning about the data unless it was printed before.
func (p *progress) warnOnce(sentence string) {
	p.mu.Lock()
	again := p.warned[sentence]
	p.warned[sentence] = true
	p.mu.Unlock()
	if !again {
		p.warn(wording.Visible(sentence))
	}
}

// Write prints the log's warnings, even when quiet. The text must consist of whole lines.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	n, err := p.out.Write(text)
	p.draw()
	return n, err
}

// shows reports whether there is something to show: this process runs a stage or waits for one.
func (p *progress) shows() bool { return p.run.Stage != "" || p.run.Waits }

// tick updates the display.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shows() {
		return
	}
	if p.now().Sub(p.told) >= tellInterval {
		p.tell()
	}
	if p.terminal {
		p.draw()
	} else if p.now().Sub(p.printed) >= logInterval {
		p.printed = p.now()
		p.print(p.line(0))
	}
}

// line returns the text for the live line, after an update of the estimated times. See
// workspace.Running.Line.
func (p *progress) line(columns int) string {
	p.estimate()
	return p.run.Line(columns)
}

// draw redraws the live line of a terminal.
func (p *progress) draw() {
	if p.quiet || !p.terminal || !p.shows() {
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

// print prints a line of its own, above the live line, unless p is quiet.
func (p *progress) print(line string) {
	if p.quiet {
		return
	}
	p.erase()
	_, _ = fmt.Fprintln(p.out, wording.Visible(line))
	p.draw()
}

// Status notes of a run between stages.
const (
	looking = "looking at what is finished"
	waiting = "waiting for other processes"
)

// tell writes a status note about the run. It also reads the notes of other processes: always if
// this process waits, and otherwise at most once per logInterval.
func (p *progress) tell() {
	p.told = p.now()
	if p.run.Waits || p.now().Sub(p.looked) >= logInterval {
		p.looked = p.now()
		p.look()
	}
	p.estimate()
	p.notes.Tell(p.run)
}

// look reads the notes of other processes, to find out which stages in the list "rest" those
// processes run. If this process waits, it shows the first of these stages.
func (p *progress) look() {
	p.others = map[*plan.Stage]*workspace.Report{}
	for _, r := range p.notes.Others() {
		is := func(s *plan.Stage) bool { return s.Name == r.Stage && s.ID == r.ID }
		if i := slices.IndexFunc(p.rest, is); i >= 0 && !r.Waits {
			p.others[p.rest[i]] = &r.Report
		}
	}
	if !p.run.Waits {
		return
	}
	p.run.Report = workspace.Report{Note: waiting}
	for _, s := range p.rest {
		if report := p.others[s]; report != nil {
			p.run.Report = *report
			return
		}
	}
}

// estimate updates the estimated times left of the stage and of the whole run.
func (p *progress) estimate() {
	p.run.Updated = p.now()
	if p.run.Stage != "" && !p.run.Waits {
		p.run.Left = p.left()
	}
	p.run.All = p.all()
}

// The method left estimates how many seconds the running stage still needs. It uses the steps done
// so far or else the mean time of finished stages with the same name. It returns nil if there is no
// estimate.
func (p *progress) left() *float64 {
	r := &p.run
	if did := r.Done - p.first; did > 0 && r.Total >= r.Done {
		return new(p.now().Sub(p.counted).Seconds() / float64(did) * float64(r.Total-r.Done))
	}
	d, ok := p.pace.Of(r.Stage)
	if left := d - p.now().Sub(r.Began); ok && left > 0 {
		return new(left.Seconds())
	}
	return nil // nothing is known, or the stage has already taken longer than estimated
}

// The method all estimates how many seconds the run still needs. It takes the longest time left of
// the stages that run now, here or in other processes, and adds the times of all stages that have
// not begun. It returns nil if one of these times is unknown.
func (p *progress) all() *float64 {
	var longest, sum float64
	if p.run.Stage != "" {
		if p.run.Left == nil {
			return nil
		}
		longest = *p.run.Left
	}
	for _, s := range p.rest {
		other := p.others[s]
		d, known := p.pace.Of(s.Name)
		switch {
		case other != nil && other.Left != nil:
			longest = max(longest, *other.Left)
		case other != nil || !known:
			return nil
		default:
			sum += d.Seconds()
		}
	}
	return new(longest + sum)
}
