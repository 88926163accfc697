package slurm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

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
			return r.interrupted()
		case <-time.After(pause):
		}
		pause = min(pause*5/4, longestWait)
		if looks%looksToAsk != 0 {
			continue
		}
		live, err := queue(ctx)
		if err != nil { // its controller may be away for a while: what is finished is seen without it
			if ctx.Err() == nil && unanswered == nil {
				r.say(fmt.Sprintf("slurm: it does not answer (%v); the workspace is watched on", err))
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
		r.failures.Say(fmt.Sprintf("stage %s is not finished and its task is gone: %s (its log is %s); "+
			"the same command goes on from there", s.Title(), cmp.Or(lastWords(log), "it said nothing"), log))
	}
}

func (r *run) interrupted() error {
	r.look()
	text := fmt.Sprintf("interrupted: %d of the %s to run are finished and kept; ",
		r.finished, wording.Count(len(r.todo), "stage"))
	if err := r.cancel(); err != nil {
		text += err.Error() + "; "
	} else if len(r.jobs) > 0 {
		text += "Slurm was asked to cancel " + named(r.jobs) + "; "
	}
	if len(r.queued) > 0 {
		text += "what an earlier run submitted stays in the queue; "
	}
	return &userr.Error{
		Code: userr.Interrupted, Text: text + "the same command goes on from there", Err: context.Canceled,
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
