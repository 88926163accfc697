// Package slurm runs a study's missing stages on Slurm: one job array of workers that share the
// workspace. The workspace shows which stages are finished. The program asks Slurm only which
// workers still exist. docs/slurm.md describes this for users.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Options configure Run.
type Options struct {
	// Command is the command line of this run. Run adds --threads and WorkerFlag for workers.
	Command []string
	Threads int    // threads of a worker; 0: one for each core that Slurm gives the worker
	Workers int    // largest number of workers; 0 means 1
	File    []byte // the text of the experiment file
	Quiet   bool
	Out     io.Writer
}

// run is the state of one call of Run.
type run struct {
	plan *plan.Plan
	ws   *workspace.Workspace
	todo []*plan.Stage
	opts Options

	dir string // folder of the script and the logs
	job string // Slurm's number for the array

	left     []*plan.Stage        // stages of todo that are neither finished nor bad
	bad      map[*plan.Stage]bool // stages that failed or depend on a failed stage
	finished int
	failures workspace.Failures
}

// Run submits workers and waits until all stages are finished or failed, or no worker is left. todo
// is the result of runs.Todo.
//
// Run returns the same errors as runs.Run, and an error of kind userr.BadInput if Slurm refuses the
// job array. When ctx ends, Run cancels the workers, unless the cause is ErrHangUp.
func Run(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, todo []*plan.Stage, o Options) error {
	if err := ws.Join(); err != nil { // keeps other processes from clearing the workspace during the wait
		return err
	}
	defer ws.Unlock()
	r := &run{
		plan: p, ws: ws, todo: todo, opts: o, left: slices.Clone(todo), bad: map[*plan.Stage]bool{},
	}
	if len(todo) == 0 {
		r.say("nothing to run: " + wording.Count(len(p.Stages), "stage") + " finished before")
		return nil
	}
	// Remove the records of earlier failures, so that workers try these stages again. A record that
	// a worker finds after that was written by another worker of this run, so the worker does not
	// retry the stage.
	for _, s := range todo {
		_ = os.Remove(ws.FailedPath(s, ".json"))
	}
	r.say("to run: " + wording.Count(len(todo), "stage"))
	if err := r.submit(); err != nil {
		return err
	}
	return r.wait(ctx)
}

func (r *run) say(line string) {
	if !r.opts.Quiet {
		fmt.Fprintln(r.opts.Out, wording.Visible(line))
	}
}

// The wait between two looks at the workspace grows from shortestWait to maxWait. Slurm's
// controller serves all users, so the program queries it only at every fifth look.
const (
	shortestWait = 100 * time.Millisecond
	maxWait      = 2 * time.Second
	looksToAsk   = 5
)

// tellInterval is the shortest time between two progress lines about running and waiting workers.
const tellInterval = 30 * time.Second

// wait polls until every stage is finished or failed, or no worker is left.
func (r *run) wait(ctx context.Context) error {
	pause, told, said := shortestWait, time.Time{}, ""
	answers := true
	for looks := 1; ; looks++ {
		r.look()
		if len(r.left) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return r.interrupted(ctx)
		case <-time.After(pause):
		}
		pause = min(pause*5/4, maxWait)
		if looks%looksToAsk != 0 {
			continue
		}
		workers, err := queue(ctx, r.job)
		if err != nil { // the controller may be down for a while
			if answers && ctx.Err() == nil {
				r.say(fmt.Sprintf("slurm: it does not answer (%v); the workspace is still watched", err))
			}
			answers = false
			continue
		}
		answers = true
		if len(workers) == 0 {
			r.ended()
			return r.failures.Err()
		}
		if now := counts(workers); now != said && time.Since(told) >= tellInterval {
			r.say(fmt.Sprintf("slurm: %s; %d of %s done", now, r.finished, wording.Count(len(r.todo), "stage")))
			told, said = time.Now(), now
		}
	}
	_ = cancel(r.job, "--state=PENDING") // running workers end by themselves, because no stage is left
	r.say(wording.Count(r.finished, "stage") + " done")
	return r.failures.Err()
}

// look reports stages that finished or failed since the last call of look.
func (r *run) look() {
	r.left = slices.DeleteFunc(r.left, func(s *plan.Stage) bool {
		if s.Needs(r.bad) {
			r.bad[s] = true
			r.failures.Skip()
			return true
		}
		if record, err := r.ws.Record(s); err == nil {
			r.finished++
			r.say(fmt.Sprintf("[%d/%d] %s: done in %s on %s", r.finished, len(r.todo), s.Title(),
				wording.ShortSeconds(record.Seconds), record.Host))
			return true
		}
		if record := r.ws.Failure(s); record != nil {
			r.bad[s] = true
			r.failures.Add(r.ws, s, record.Error)
			r.say(fmt.Sprintf("%s: failed on %s", s.Title(), record.Host))
			return true
		}
		return false
	})
}

// ended reports the stages that no worker finished, because the workers were cancelled, killed or
// timed out.
func (r *run) ended() {
	for _, s := range r.left {
		r.ws.Refresh(s)
	}
	r.look()
	if len(r.left) > 0 {
		r.failures.Say(fmt.Sprintf("the workers have ended without %d of the %s: %s (their logs are in %s)",
			len(r.left), wording.Count(len(r.todo), "stage"), lastWords(r.dir), r.dir))
	}
	r.say(wording.Count(r.finished, "stage") + " done")
}

// lastWords returns the last line of the most recently written log.
func lastWords(dir string) string {
	entries, _ := os.ReadDir(dir) // a missing folder has no logs
	said := "they gave no reason"
	var at time.Time
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || filepath.Ext(e.Name()) != ".log" || info.Size() == 0 || info.ModTime().Before(at) {
			continue
		}
		if text, err := files.ReadSmall(filepath.Join(dir, e.Name())); err == nil {
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			said, at = strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "smlm-exp: "), info.ModTime()
		}
	}
	return said
}

// ErrHangUp is the cause of a context that ended because the terminal was closed. The workers then
// stay in the queue, as they do if the process is killed.
var ErrHangUp = errors.New("the terminal was closed")

func (r *run) interrupted(ctx context.Context) error {
	r.look()
	became := "Slurm was asked to cancel job " + r.job
	if errors.Is(context.Cause(ctx), ErrHangUp) {
		became = "job " + r.job + " continues without this program"
	} else if err := cancel(r.job); err != nil {
		became = fmt.Sprintf("job %s is still in the queue, because %v: end it with `scancel %s`", r.job, err, r.job)
	}
	text := fmt.Sprintf("interrupted: %d of the %s to run are finished and kept; %s; the same command continues from there",
		r.finished, wording.Count(len(r.todo), "stage"), became)
	return &userr.Error{Code: userr.Interrupted, Text: text, Err: context.Canceled}
}

// counts describes the number of workers by state: "2 running, 5 pending".
func counts(workers map[string]int) string {
	var parts []string
	for _, state := range slices.Backward(slices.Sorted(maps.Keys(workers))) {
		parts = append(parts, fmt.Sprintf("%d %s", workers[state], strings.ToLower(state)))
	}
	return strings.Join(parts, ", ")
}
