package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Options say how Run submits.
type Options struct {
	// Command runs the experiment in a task, with the overrides of this run. Run adds --threads and
	// TaskFlag.
	Command  []string
	Threads  int // as in runs.Options
	FailFast bool
	Quiet    bool
	Out      io.Writer
}

// run is the state of one Run.
type run struct {
	plan *plan.Plan
	ws   *workspace.Workspace
	opts Options
	todo []*plan.Stage

	queued  map[*plan.Stage]string // the job of an earlier run that has the stage
	logs    map[*plan.Stage]string // of the task that has the stage
	jobs    []string               // that this run submitted
	watched map[string]bool        // these and those of earlier runs

	was      map[*plan.Stage]time.Time // end of the last try before this run
	left     []*plan.Stage             // neither finished nor failed
	bad      map[*plan.Stage]bool
	finished int
	failures workspace.Failures
}

// Run submits stages to Slurm as job arrays, waits until all are finished or failed or their jobs
// are gone, and tells of each as the workspace has it. todo is what runs.Todo returned. Stages that
// tasks of an earlier run still have are waited for and not submitted again.
//
// The errors are those of runs.Run; one of kind userr.BadInput too where Slurm cannot be asked or
// refuses. When ctx ends, Slurm is asked to cancel the jobs.
func Run(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, todo []*plan.Stage, o Options) error {
	if err := ws.Join(); err != nil { // while it waits, nobody clears the workspace
		return err
	}
	defer ws.Unlock()
	r := &run{
		plan: p, ws: ws, opts: o, todo: todo, left: slices.Clone(todo),
		queued: map[*plan.Stage]string{}, logs: map[*plan.Stage]string{}, watched: map[string]bool{},
		was: map[*plan.Stage]time.Time{}, bad: map[*plan.Stage]bool{},
	}
	for _, d := range ws.Verify(todo...) {
		r.was[d.Stage] = r.last(d.Stage)
		r.say("damaged: " + d.Stage.Title() + ": " + d.Path + " " + d.What + "; it is made again")
	}
	if len(todo) == 0 {
		r.say("nothing to run: " + wording.Count(len(p.Stages), "stage") + " finished before")
		return nil
	}
	for _, s := range todo {
		// One that is whole was finished by another run since todo was made: that is no earlier
		// try.
		if record := ws.Failure(s); record != nil && r.was[s].IsZero() {
			r.was[s] = record.End
		}
	}
	switch err := r.start(ctx); {
	case ctx.Err() != nil:
		return r.interrupted()
	case err != nil:
		return errors.Join(err, r.cancel())
	}
	return r.wait(ctx)
}

// start submits what no earlier run has in the queue.
func (r *run) start(ctx context.Context) error {
	live, err := queue(ctx)
	if err != nil {
		if userr.CodeOf(err) == userr.BadInput {
			return err
		}
		return userr.New(userr.BadInput, "Slurm does not answer: %w; run this where its commands work, or leave out "+
			"--executor slurm", err)
	}
	r.earlier(live)
	r.say("to run: " + wording.Count(len(r.todo), "stage") + "; " + r.ws.Timings().Estimate(r.todo).String())
	if n := len(r.queued); n > 0 {
		r.say("slurm: " + wording.Count(n, "stage") + " in the queue already, by an earlier run: " +
			named(slices.Sorted(maps.Keys(r.watched))))
	}
	all := arrays(cut(r.plan.Stages), r.todo, r.queued)
	if len(all) == 0 {
		return nil
	}
	text, err := os.ReadFile(r.plan.Experiment.Path)
	if err != nil {
		return userr.New(userr.BadInput, "the experiment file cannot be read again (%w): put it back", err)
	}
	dir, err := folder(r.ws, string(text))
	if err != nil {
		return err
	}
	tasks := 0
	for i, a := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		list, err := r.submit(a, dir, i+1)
		if err != nil {
			return err
		}
		r.watched[a.id] = true
		tasks += len(a.tasks)
		for k, stages := range a.tasks {
			for _, s := range stages {
				r.logs[s] = logOf(list, k+1)
			}
		}
	}
	r.say(fmt.Sprintf("slurm: %s in %s submitted, %s; their logs are in %s",
		wording.Count(tasks, "task"), wording.Count(len(all), "job array"), named(r.jobs), dir))
	return nil
}

// last is when the last try of a stage ended that has left a record; zero where there is none.
func (r *run) last(s *plan.Stage) time.Time {
	if record, err := r.ws.Record(s); err == nil {
		return record.End
	}
	if record := r.ws.Failure(s); record != nil {
		return record.End
	}
	return time.Time{}
}

// cancel asks Slurm to end what this run submitted, and says so where that did not work.
func (r *run) cancel() error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := cancel(ctx, r.jobs); err != nil {
		return fmt.Errorf("the jobs are still there, as %w: end them by `scancel %s`", err, strings.Join(r.jobs, " "))
	}
	return nil
}

func (r *run) say(line string) {
	if !r.opts.Quiet {
		fmt.Fprintln(r.opts.Out, line)
	}
}
