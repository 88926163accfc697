package runs

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Run runs a plan's stages that are missing in the workspace, one after the other, inputs first. A
// failed stage stops only the stages that need it. Other processes may run stages of the same
// workspace meanwhile: a stage that one of them has claimed is waited for, unless another can be
// run. With Force the workspace is this process's own.
//
// The error is one sentence a failed stage (userr.StageFailed), or says that ctx ended
// (userr.Interrupted) or that the workspace cannot be used (userr.BadInput). In every case the
// finished stages stay, and the same call goes on where this one stopped.
func Run(
	ctx context.Context, p *plan.Plan, ws *workspace.Workspace, run stage.Func, o Options,
) error {
	lock := ws.Join
	if len(o.Force) > 0 { // others would take what is to be made again for finished
		lock = ws.Lock
	}
	if err := lock(); err != nil {
		return err
	}
	defer ws.Unlock()
	ws.Tell(workspace.Running{Note: looking}) // it takes a while where much is finished
	todo, damaged, err := examine(p, ws, o)
	if err != nil {
		return err
	}
	again := forced(p, o)
	for _, s := range todo {
		if again[s] {
			_ = os.RemoveAll(ws.ScratchDir(s)) // a forced stage starts from nothing
		}
	}
	r := &runner{
		plan: p, ws: ws, code: run, opts: o, bad: map[*plan.Stage]bool{}, again: again,
		missing: map[*plan.Stage]bool{}, tried: map[*plan.Stage]time.Time{},
		threads: cmp.Or(max(o.Threads, 0), p.Experiment.Threads, runtime.GOMAXPROCS(0)),
		devices: cmp.Or(o.Devices, p.Experiment.Devices),
		every:   time.Duration(p.Experiment.CheckpointSeconds) * time.Second,
	}
	out := o.Out
	if out == nil {
		out = os.Stderr
	}
	times := ws.Timings()
	takes := times.Estimate(todo)
	r.progress = newProgress(out, o.Quiet, times, todo, ws.Tell)
	defer r.progress.close()
	if cores := runtime.NumCPU(); r.threads > cores { // more only get in each other's way
		r.progress.say(fmt.Sprintf("%d threads were asked for: %d are used, one a core", r.threads, cores))
		r.threads = cores
	}
	for _, d := range damaged {
		r.progress.say("damaged: " + d.Stage.Title() + ": " + strconv.Quote(d.Path) + " " + d.What + "; it is made again")
	}
	if len(todo) == 0 {
		r.progress.say("nothing to run: " + wording.Count(len(p.Stages), "stage") + " finished before")
		return nil
	}
	r.progress.say("to run: " + wording.Count(len(todo), "stage") + "; " + takes.String())
	if free, ok := ws.Free(); ok && free < takes.Disk {
		r.progress.say("the disk has " + wording.Bytes(free) + " free: clear some space, or the run will stop before its end")
	}
	if free, ok := workspace.FreeMemory(); ok && free < takes.Memory {
		r.progress.say("a stage like these took " + wording.Bytes(takes.Memory) + " of memory and " + wording.Bytes(free) +
			" are free: end other programs, or the system may end the run")
	}
	stop := r.help(ctx, o.helpers)
	defer stop()
	return r.run(ctx, todo)
}

// runner is the state of one Run.
type runner struct {
	ws       *workspace.Workspace
	plan     *plan.Plan
	code     stage.Func // of all stages
	opts     Options
	threads  int
	devices  string
	every    time.Duration // between checkpoints
	progress *progress
	tried    map[*plan.Stage]time.Time // the end of the last try, where that failed before this run
	missing  map[*plan.Stage]bool      // to be run, by whomever
	again    map[*plan.Stage]bool      // forced: to be run, finished or not
	bad      map[*plan.Stage]bool      // failed, or without a failed stage's results
	failures workspace.Failures
	finished int
}

func (r *runner) run(ctx context.Context, todo []*plan.Stage) error {
	for _, s := range todo {
		r.missing[s] = true
		if f := r.ws.Failure(s); f != nil && !slices.Contains(r.opts.Failed, s.ID) {
			r.tried[s] = f.End // not told from a later one by the clock, which may go back
		}
	}
	for left := slices.Clone(todo); len(left) > 0; {
		if ctx.Err() != nil {
			return r.interrupted(len(todo))
		}
		next, err := r.next(&left)
		if err != nil {
			return err
		}
		if next == nil {
			continue
		}
		s := next.stage
		r.progress.begin(s)
		err = r.runStage(ctx, s)
		next.claim.Release()
		if err != nil && ctx.Err() != nil {
			r.progress.end("interrupted")
			return r.interrupted(len(todo))
		}
		if err == nil {
			r.finished++
			r.progress.end("")
			continue
		}
		r.progress.end("failed")
		if stop := r.failed(s, err); stop != nil {
			return stop
		}
	}
	return r.failures.Err()
}

// failed notes a failed stage. The result is not nil when no other stage can do better.
func (r *runner) failed(s *plan.Stage, err error) error {
	if userr.CodeOf(err) == userr.NoTorch {
		return err
	}
	if what := workspace.DiskTrouble(err); what != "" {
		return userr.New(userr.StageFailed, "stage %s failed in the workspace %q: %s (%w)",
			s.Title(), r.ws.Dir, what, err)
	}
	r.note(s, err.Error())
	if r.opts.FailFast {
		return r.failures.Err()
	}
	return nil
}

// note counts a stage as failed.
func (r *runner) note(s *plan.Stage, text string) {
	r.bad[s] = true
	r.failures.Add(r.ws, s, text)
}

func (r *runner) interrupted(total int) error {
	text := fmt.Sprintf("interrupted: %d of the %s to run are finished and kept; "+
		"the same command goes on from there", r.finished, wording.Count(total, "stage"))
	if err := r.failures.Err(); err != nil {
		text += "\n" + err.Error()
	}
	return &userr.Error{Code: userr.Interrupted, Text: text, Err: context.Canceled}
}
