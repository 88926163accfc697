// Package slurm runs a plan's missing stages as job arrays of Slurm. What is finished stands in the
// workspace; of Slurm it only asks which tasks are still there. docs/slurm.md is for users,
// docs/decisions/023-slurm.md says why it is as it is.
//
//   - tasks.go cuts the graph of stages into tasks and gathers these into job arrays;
//   - submit.go hands them to sbatch, and finds what an earlier run left in the queue;
//   - commands.go calls Slurm's commands;
//   - slurm.go waits and reports;
//   - task.go runs one task, on its node.
package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
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
		r.say("damaged: " + d.Stage.Title() + ": " + d.Path + " " + d.What + "; the stage runs again")
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
		return r.interrupted(ctx)
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
		return userr.New(userr.BadInput, "Slurm does not answer: %w; run this where its commands work, or "+
			"leave out --executor slurm", err)
	}
	r.earlier(live)
	r.say("to run: " + wording.Count(len(r.todo), "stage") + "; " + r.ws.Timings(nil).Estimate(r.todo).String())
	if n := len(r.queued); n > 0 {
		r.say("slurm: " + wording.Count(n, "stage") + " already in the queue from an earlier run: " +
			named(slices.Sorted(maps.Keys(r.watched))))
	}
	all := arrays(cut(r.plan.Stages), r.todo, r.queued)
	if len(all) == 0 {
		return nil
	}
	text, err := files.ReadSmall(r.plan.Experiment.Path)
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
		return fmt.Errorf("the jobs are still in the queue, because %w: end them with `scancel %s`", err, strings.Join(r.jobs, " "))
	}
	return nil
}

func (r *run) say(line string) {
	if !r.opts.Quiet {
		fmt.Fprintln(r.opts.Out, wording.Visible(line))
	}
}

// The workspace is looked at after the shortest wait at first and at last after the longest; Slurm,
// whose controller serves all users, is asked at every fifth look.
const (
	shortestWait = 100 * time.Millisecond
	longestWait  = 2 * time.Second
	looksToAsk   = 5
)

// tellInterval is the least time between two lines on how many tasks run and wait.
const tellInterval = 30 * time.Second

// wait looks until every stage is finished or failed, or no job is left that could change it.
func (r *run) wait(ctx context.Context) error {
	pause, told, said := shortestWait, time.Time{}, ""
	var unanswered error
	for looks := 1; ; looks++ {
		r.look()
		if len(r.left) == 0 || r.opts.FailFast && len(r.bad) > 0 {
			break
		}
		select {
		case <-ctx.Done():
			return r.interrupted(ctx)
		case <-time.After(pause):
		}
		pause = min(pause*5/4, longestWait)
		if looks%looksToAsk != 0 {
			continue
		}
		live, err := queue(ctx)
		if err != nil { // its controller may be away for a while: what is finished is seen without it
			if ctx.Err() == nil && unanswered == nil {
				r.say(fmt.Sprintf("slurm: it does not answer (%v); the workspace is still watched", err))
			}
			unanswered = err
			continue
		}
		unanswered = nil
		live = slices.DeleteFunc(live, func(q queued) bool { return !r.watched[q.job] })
		if len(live) == 0 {
			r.look() // what ended between the look and the question
			break
		}
		if now := counts(live); now != said && time.Since(told) >= tellInterval {
			r.say(fmt.Sprintf("slurm: %s; %d of %s done", now, r.finished, wording.Count(len(r.todo), "stage")))
			told, said = time.Now(), now
		}
	}
	if len(r.bad) > 0 { // what waits can only find its inputs missing
		quick, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer stop()
		option := "--state=PENDING"
		if r.opts.FailFast {
			option = "--quiet"
		}
		_ = cancel(quick, r.jobs, option)
	}
	if !r.opts.FailFast || len(r.bad) == 0 {
		r.gone()
	}
	r.say(wording.Count(r.finished, "stage") + " done")
	return r.failures.Err()
}

// look tells of what was finished or failed since the last look.
func (r *run) look() {
	r.left = slices.DeleteFunc(r.left, func(s *plan.Stage) bool {
		if s.Needs(r.bad) {
			r.bad[s] = true
			r.failures.Skip()
			return true
		}
		if record, err := r.ws.Record(s); err == nil && !record.End.Equal(r.was[s]) {
			r.finished++
			r.say(fmt.Sprintf("[%d/%d] %s: done in %s on %s", r.finished, len(r.todo), s.Title(),
				wording.ShortSeconds(record.Seconds), record.Host))
			return true
		}
		if record := r.ws.Failure(s); record != nil && !record.End.Equal(r.was[s]) {
			r.bad[s] = true
			r.failures.Add(r.ws, s, record.Error)
			r.say(fmt.Sprintf("%s: failed on %s", s.Title(), record.Host))
			return true
		}
		return false
	})
}

// gone notes the stages whose tasks ended without a word in the workspace: cancelled, killed, or
// gone with their node.
func (r *run) gone() {
	missing, told := map[*plan.Stage]bool{}, map[string]bool{}
	for _, s := range r.left {
		missing[s] = true
		log := r.logs[s]
		if s.Needs(missing) || told[log] {
			r.failures.Lack()
			continue
		}
		told[log] = true
		r.failures.Say(fmt.Sprintf("stage %s is not finished and its task has ended: %s (its log is %s); the "+
			"same command continues from there", s.Title(), cmp.Or(lastWords(log), "it gave no reason"), log))
	}
}

// ErrHangUp is the cause of a context that ended because whoever watched the jobs went away: it
// leaves them in the queue, as a process that is killed does.
var ErrHangUp = errors.New("the terminal was closed")

func (r *run) interrupted(ctx context.Context) error {
	r.look()
	text := fmt.Sprintf("interrupted: %d of the %s to run are finished and kept; ",
		r.finished, wording.Count(len(r.todo), "stage"))
	if errors.Is(context.Cause(ctx), ErrHangUp) {
		if len(r.jobs) > 0 {
			text += named(r.jobs) + " continue without this program; "
		}
	} else if err := r.cancel(); err != nil {
		text += err.Error() + "; "
	} else if len(r.jobs) > 0 {
		text += "Slurm was asked to cancel " + named(r.jobs) + "; "
	}
	if len(r.queued) > 0 {
		text += "what an earlier run submitted stays in the queue; "
	}
	return &userr.Error{
		Code: userr.Interrupted, Text: text + "the same command continues from there", Err: context.Canceled,
	}
}

// counts words how many tasks are in which state, and why they wait: "2 running, 5 pending
// (Dependency, Resources)".
func counts(live []queued) string {
	states, why := map[string]int{}, map[string]bool{}
	for _, q := range live {
		states[strings.ToLower(q.state)]++
		if q.state == "PENDING" {
			why[q.reason] = true
		}
	}
	var parts []string
	for _, state := range slices.Backward(slices.Sorted(maps.Keys(states))) {
		part := fmt.Sprintf("%d %s", states[state], state)
		if state == "pending" {
			part += " (" + strings.Join(slices.Sorted(maps.Keys(why)), ", ") + ")"
		}
		parts = append(parts, part)
	}
	return wording.Count(len(live), "task") + " left: " + strings.Join(parts, ", ")
}
