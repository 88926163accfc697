// Package track copies the progress of a study to the tools that people watch trainings with: a
// file of JSON lines, always, and where [track] says so TensorBoard's event files and an MLflow
// server. It reads the curves of trainings while they run, whichever process runs them, and in the
// end the scores of every point.
//
// The workspace is the truth: a tracker compares what is there with what it has and adds the rest.
// So nothing is doubled when a run goes on, a tracker that is switched on later gets everything,
// and one that cannot be reached costs a sentence.
package track

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Run is what trackers call a run: a training, or the scores of one system at one point.
type Run struct {
	ID     string // identity of its stage
	Name   string // "smlm 3fa9c1 (lambda_eps 0.15)"
	Params map[string]string
	Steps  []Step // in order
	Over   bool   // nothing will be added
}

// Step is the figures of one step.
type Step struct {
	Step   int // optimizer steps of a training, 0 of scores
	Time   time.Time
	Values map[string]float64 // finite
}

// tracker is one place that runs are mirrored to.
type tracker interface {
	// send adds what is not there yet of a run. It may be called again with more steps.
	send(ctx context.Context, run *Run) error
	close()
	String() string // for people: "MLflow at http://127.0.0.1:5000"
}

// Every is how often a follower looks while a study runs.
const Every = 2 * time.Second

// rest is how many intervals a tracker is left alone after an error.
const rest = 10

// patience is how long a follower goes on at most when the run has ended: the next one sends the
// rest.
const patience = 30 * time.Second

// Follower mirrors a study while it runs.
type Follower struct {
	found    *finder
	trackers []tracker
	wrong    map[tracker]trouble
	sent     map[sentTo]int // steps of a run
	plans    chan *plan.Plan
	stop     chan struct{}
	done     chan struct{}
	dropped  bool // nothing more is to be sent; set before stop is closed
	giveUp   func()
}

// trouble is the last error of a tracker, which is left alone for a while.
type trouble struct {
	err   error
	until time.Time
}

type sentTo struct {
	tracker
	run string
}

// Follow begins to mirror an experiment, at intervals. The error is that of the workspace; those of
// trackers are what Stop says.
func Follow(e *experiment.Experiment, every time.Duration) (*Follower, error) {
	ws, err := workspace.Open(e.Workspace) // of its own: what it remembers is not shared between goroutines
	if err != nil {
		return nil, err
	}
	f := &Follower{
		found: &finder{ws: ws, over: map[string]*Run{}}, wrong: map[tracker]trouble{}, sent: map[sentTo]int{},
		plans: make(chan *plan.Plan, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	lines := &jsonLines{path: ws.Path("tracks", e.Name+".jsonl")}
	f.trackers = append(f.trackers, lines)
	if e.Track.TensorBoard {
		folder := cmp.Or(e.Track.Folder, ws.Path("tensorboard"))
		f.trackers = append(f.trackers, &tensorBoard{folder: filepath.Join(folder, e.Name)})
	}
	if e.Track.MLflow != "" {
		f.trackers = append(f.trackers, newMLflow(e.Track.MLflow, cmp.Or(e.Track.Experiment, e.Name)))
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.giveUp = cancel
	go f.follow(ctx, every)
	return f, nil
}

// Watch says which plan runs from now on. It does not wait.
func (f *Follower) Watch(p *plan.Plan) {
	select {
	case <-f.plans: // one that was not looked at yet, and is part of the new one
	default:
	}
	f.plans <- p
}

// Stop mirrors what is left, and returns a sentence for each tracker that does not have everything.
func (f *Follower) Stop() (sentences []string) {
	close(f.stop)
	defer time.AfterFunc(patience, f.giveUp).Stop()
	<-f.done
	f.giveUp()
	for _, t := range f.trackers {
		t.close()
		if err := f.wrong[t].err; err != nil {
			sentences = append(sentences, fmt.Sprintf("%s does not have everything (%v): the results are "+
				"complete, and the next run sends the rest", t, err))
		}
	}
	return sentences
}

// Drop ends a follower without mirroring what is left: of a run that could not begin there is
// nothing new, and what hinders the run hinders trackers too.
func (f *Follower) Drop() {
	f.dropped = true
	f.giveUp()
	close(f.stop)
	<-f.done
	for _, t := range f.trackers {
		t.close()
	}
}

func (f *Follower) follow(ctx context.Context, every time.Duration) {
	defer close(f.done)
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var p *plan.Plan
	for {
		select {
		case p = <-f.plans:
		case <-ticks.C:
			if p != nil {
				f.mirror(ctx, f.found.trainings(p), rest*every)
			}
		case <-f.stop:
			if f.dropped {
				return
			}
			select {
			case p = <-f.plans:
			default:
			}
			if p != nil {
				f.mirror(ctx, append(f.found.trainings(p), f.found.scores(p)...), 0)
			}
			return
		}
	}
}

// mirror sends runs to all trackers, but not to those that have just had an error: where pause is
// above 0 they are left alone for as long.
func (f *Follower) mirror(ctx context.Context, runs []*Run, pause time.Duration) {
	for _, t := range f.trackers {
		if pause > 0 && time.Now().Before(f.wrong[t].until) {
			continue
		}
		delete(f.wrong, t)
		for _, r := range runs {
			at, known := sentTo{t, r.ID}, len(r.Steps)
			if r.Over {
				known++
			}
			if f.sent[at] == known {
				continue
			}
			if err := t.send(ctx, r); err != nil {
				f.wrong[t] = trouble{err, time.Now().Add(pause)}
				break
			}
			f.sent[at] = known
		}
	}
}
