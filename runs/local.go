package runs

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Run runs a plan's stages that are missing in the workspace, one after the other, inputs first. A
// failed stage stops only the stages that need it. Other processes may run stages of the same
// workspace at the same time: if they have claimed all stages that could run now, Run waits. With
// o.Force this process locks the workspace exclusively.
//
// The error has one line per failed stage (userr.StageFailed), or says that ctx ended
// (userr.Interrupted), that the workspace cannot be used (userr.BadInput) or that libtorch or a
// device is missing (userr.NoTorch). Finished stages are always kept, and the same call continues
// where this one stopped.
func Run(
	ctx context.Context, p *plan.Plan, ws *workspace.Workspace, run stage.Func, o Options,
) error {
	o = o.filled()
	lock := ws.Join
	if len(o.Force) > 0 { // without the exclusive lock, other processes would use old results of forced stages
		lock = ws.Lock
	}
	if err := lock(); err != nil {
		return err
	}
	defer ws.Unlock()
	ws.Tell(workspace.Running{Report: workspace.Report{Note: looking}}) // shown because Todo may take long
	todo, err := Todo(p, ws, o)
	if err != nil {
		return err
	}
	again := forced(p, o)
	for _, s := range todo {
		if again[s] {
			_ = os.RemoveAll(ws.ScratchDir(s)) // remove its checkpoint, so that the forced stage starts anew
		}
	}
	r := &runner{
		plan: p, ws: ws, code: run, opts: o, bad: map[*plan.Stage]bool{}, again: again,
		missing: map[*plan.Stage]bool{}, tried: map[*plan.Stage]time.Time{},
		threads: cmp.Or(max(o.Threads, 0), p.Experiment.Threads, runtime.GOMAXPROCS(0)),
		devices: cmp.Or(o.Devices, p.Experiment.Devices),
		every:   time.Duration(p.Experiment.CheckpointSeconds) * time.Second,
	}
	pace := workspace.Pace{}
	if len(todo) > 0 {
		pace = ws.Pace(p)
	}
	r.progress = newProgress(o.Out, o.Quiet, pace, todo, ws)
	r.progress.warned = o.warned
	defer r.progress.close()
	if cores := runtime.NumCPU(); r.threads > cores { // more threads would only slow each other down
		r.progress.say(fmt.Sprintf("%d threads were asked for, but %d are used: one per core", r.threads, cores))
		r.threads = cores
	}
	if len(todo) == 0 {
		r.progress.say("nothing to run: " + wording.Count(len(p.Stages), "stage") + " finished before")
		return nil
	}
	r.progress.say("to run: " + wording.Count(len(todo), "stage") + "; " + pace.Words(todo))
	r.tellForced(todo)
	stop := r.help(ctx, o.helpers)
	defer stop()
	return r.run(ctx, todo)
}

// tellForced prints the effects of --force. First it counts the finished stages that this run makes
// again. Then it warns about stages that this run removes without making them again. Such stages
// may belong to other experiments.
func (r *runner) tellForced(todo []*plan.Stage) {
	byForce := lists.Filter(todo, func(s *plan.Stage) bool { return s.Matches(r.opts.Force) })
	if len(byForce) == 0 {
		return
	}
	force := "--force " + strings.Join(r.opts.Force, " --force ")
	name := func(s *plan.Stage) stage.Name { return s.Name }
	again := lists.Filter(todo, func(s *plan.Stage) bool { return r.again[s] && r.ws.Done(s) })
	if len(again) > 0 {
		r.progress.say(force + ": runs again, with everything built on it: " +
			wording.Counts(lists.Map(again, name)))
	}
	makes := map[string]bool{}
	for _, s := range todo {
		makes[s.ID] = true
	}
	gone := lists.Filter(r.ws.BuiltOn(byForce...), func(b *stage.Record) bool { return !makes[b.ID] })
	if len(gone) == 0 {
		return
	}
	var commands []string
	for _, b := range gone {
		commands = lists.AddOnce(commands, "`"+workspace.Typed(b.Command)+"`")
	}
	if n := len(commands); n > toldCommands {
		commands = append(commands[:toldCommands:toldCommands], wording.Count(n-toldCommands, "command")+" more")
	}
	r.progress.warn(fmt.Sprintf("%s also removes stages that were built on it and that this run does not make "+
		"again: %s, made by %s", force, wording.Counts(lists.Map(gone, func(b *stage.Record) stage.Name { return b.Name })),
		strings.Join(commands, ", ")))
}

// toldCommands limits how many commands tellForced prints. These commands made the removed stages.
const toldCommands = 3

// runner is the state of one call of Run.
type runner struct {
	ws       *workspace.Workspace
	plan     *plan.Plan
	code     stage.Func // runs any stage
	opts     Options
	threads  int
	devices  string
	every    time.Duration // time between checkpoints of a training
	progress *progress
	tried    map[*plan.Stage]time.Time // end of the last try that failed before this run
	missing  map[*plan.Stage]bool      // stages that neither this process has begun nor another process has finished
	again    map[*plan.Stage]bool      // stages that --force selects, and all stages that depend on them
	bad      map[*plan.Stage]bool      // stages that failed, or that depend on a failed stage
	failures workspace.Failures
	finished int
}

func (r *runner) run(ctx context.Context, todo []*plan.Stage) error {
	for _, s := range todo {
		r.missing[s] = true
		if f := r.ws.Failure(s); f != nil && !r.opts.joined {
			r.tried[s] = f.End // only compared for equality, because clocks may go back
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

// The method failed records that a stage failed. It returns an error if the run must stop: libtorch
// cannot be used, the data are faulty, or the disk is full or read-only.
func (r *runner) failed(s *plan.Stage, err error) error {
	code := userr.CodeOf(err)
	if code == userr.NoTorch || code == userr.BadInput && s.ReadsData() {
		return err
	}
	if what := workspace.DiskTrouble(err); what != "" {
		return userr.New(userr.StageFailed, "stage %s failed in the workspace %q: %s (%w)",
			s.Title(), r.ws.Dir, what, err)
	}
	r.note(s, err.Error())
	return nil
}

// note counts a stage as failed.
func (r *runner) note(s *plan.Stage, text string) {
	r.bad[s] = true
	r.failures.Add(r.ws, s, text)
}

func (r *runner) interrupted(total int) error {
	text := fmt.Sprintf("interrupted: %d of the %s to run are finished and kept; "+
		"the same command continues from there", r.finished, wording.Count(total, "stage"))
	if err := r.failures.Err(); err != nil {
		text += "\n" + err.Error()
	}
	return &userr.Error{Code: userr.Interrupted, Text: text, Err: context.Canceled}
}

// poll is the interval at which an idle process checks whether other processes have finished.
const poll = 100 * time.Millisecond

// claimed is a stage that this process will run now, with the lock that keeps other processes from
// running it.
type claimed struct {
	stage *plan.Stage
	claim *workspace.Claim
}

// next claims the first stage that can run and removes the stage from the list "left". It also
// removes the stages that need a failed stage and the stages that another process has run. It
// returns nil if no stage can run now. Before it returns nil, it sleeps for the interval poll,
// unless it has removed stages from the list.
func (r *runner) next(left *[]*plan.Stage) (*claimed, error) {
	before := len(r.missing)
	defer func() {
		if len(r.missing) < before {
			*left = slices.DeleteFunc(*left, func(s *plan.Stage) bool { return !r.missing[s] })
		}
	}()
	for _, s := range *left {
		if s.Needs(r.bad) {
			r.bad[s] = true
			r.failures.Skip()
			r.progress.skip(s)
			delete(r.missing, s)
			continue
		}
		if s.Needs(r.missing) {
			continue
		}
		c, err := r.ws.Claim(s)
		if err != nil {
			return nil, err
		}
		switch {
		case c == nil: // another process runs it
		case r.elsewhere(s):
			c.Release()
			delete(r.missing, s)
		default:
			delete(r.missing, s)
			return &claimed{s, c}, nil
		}
	}
	if len(r.missing) == before {
		r.progress.wait()
		time.Sleep(poll)
	}
	return nil, nil
}

// The method elsewhere reports whether another process has run a stage since this run began. If the
// stage failed in that process, the failure is recorded here too.
func (r *runner) elsewhere(s *plan.Stage) bool {
	if r.again[s] {
		return false
	}
	r.ws.Refresh(s)
	if r.ws.Done(s) {
		r.progress.other(s)
		return true
	}
	if f := r.ws.Failure(s); f != nil && !f.End.Equal(r.tried[s]) {
		r.progress.skip(s)
		r.note(s, f.Error)
		return true
	}
	return false
}

// help starts the helpers, which are processes that run stages of the same plan. They end when stop
// is called. They also end when this process ends for any reason, because a helper runs only while
// its standard input is open. If a helper dies, the others take over its stage.
func (r *runner) help(ctx context.Context, helpers []*exec.Cmd) (stop func()) {
	over, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, h := range helpers {
		h.Stderr = r.progress
		h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal from the terminal must not reach the helper
		alive, err := h.StdinPipe()
		if err == nil {
			err = h.Start()
		}
		if err != nil {
			r.progress.say(fmt.Sprintf("a worker could not be started: %v", err))
			continue
		}
		all.Go(func() {
			<-over.Done()
			_ = alive.Close()
			_ = h.Wait() // ignore the error: the records of stages say what failed
		})
	}
	if n := len(helpers); n > 0 {
		r.progress.say(wording.Count(n+1, "worker") + " of " + wording.Count(r.threads, "thread"))
	}
	return func() {
		end()
		all.Wait()
	}
}

// Todo lists the stages that Run would run, in the plan's order: those that are forced or not
// finished. If o.Only is not empty, it considers only the selected stages and the stages that they
// need. It changes nothing. A pattern that matches no stage is an error (userr.BadInput), and so is
// a missing file that the plan needs.
func Todo(p *plan.Plan, ws *workspace.Workspace, o Options) ([]*plan.Stage, error) {
	if p.Lacks != nil {
		return nil, p.Lacks
	}
	if err := p.CheckPatterns("--force", o.Force); err != nil {
		return nil, err
	}
	if err := p.CheckPatterns("--only", o.Only); err != nil {
		return nil, err
	}
	wanted := p.Stages
	if len(o.Only) > 0 {
		wanted = p.Select(o.Only)
	}
	again := forced(p, o)
	return lists.Filter(wanted, func(s *plan.Stage) bool { return again[s] || !ws.Done(s) }), nil
}

// The function forced returns the stages to run again, finished or not: those that match a pattern,
// and all stages that depend on them.
func forced(p *plan.Plan, o Options) map[*plan.Stage]bool {
	return p.Resting(func(s *plan.Stage) bool { return s.Matches(o.Force) })
}
