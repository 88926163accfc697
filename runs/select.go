package runs

import (
	"os"

	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// missing lists the stages to run in the plan's order: those not finished or forced, and where a selection is made only the
// selected ones and what they need.
func (r *runner) missing() []*plan.Stage {
	wanted := r.plan.Stages
	if len(r.opts.Only) > 0 {
		wanted = r.plan.Select(r.opts.Only)
	}
	forced := map[*plan.Stage]bool{}
	var out []*plan.Stage
	for _, s := range wanted {
		forced[s] = s.Matches(r.opts.Force)
		for _, in := range s.Inputs {
			forced[s] = forced[s] || forced[in]
		}
		if forced[s] {
			_ = os.RemoveAll(r.ws.ScratchDir(s)) // a forced stage starts from nothing
		}
		if forced[s] || !r.ws.Done(s) {
			out = append(out, s)
		}
	}
	return out
}

// invalidate removes the finished stages, of any experiment, that were built on an earlier run of a forced stage. It is called before
// the new one is put in place: a crash in between leaves stages missing, never stages built on something else.
func (r *runner) invalidate(s *plan.Stage) error {
	if !s.Matches(r.opts.Force) {
		return nil
	}
	stale := map[string]bool{s.ID: true}
	records := r.ws.Records()
	for grown := true; grown; {
		grown = false
		for _, rec := range records {
			for _, id := range rec.Inputs {
				if stale[id] && !stale[rec.ID] {
					stale[rec.ID], grown = true, true
				}
			}
		}
	}
	for _, rec := range records {
		if stale[rec.ID] && rec.ID != s.ID {
			if err := r.ws.Remove(r.ws.Path("stages", string(rec.Kind), rec.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}
