package runs

import (
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Todo lists the stages that Run would run, in the plan's order: those not finished or forced, and where
// a selection is made only the selected ones and what they need. It changes nothing. A pattern that means
// no stage is an error (userr.BadInput).
func Todo(p *plan.Plan, ws *workspace.Workspace, o Options) ([]*plan.Stage, error) {
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
	var todo []*plan.Stage
	for _, s := range wanted {
		if again[s] || !ws.Done(s) {
			todo = append(todo, s)
		}
	}
	return todo, nil
}

// forced are the stages to run again, finished or not: those that a pattern means, and all that build on
// them.
func forced(p *plan.Plan, o Options) map[*plan.Stage]bool {
	again := map[*plan.Stage]bool{}
	for _, s := range p.Stages {
		again[s] = s.Matches(o.Force)
		for _, in := range s.Inputs {
			again[s] = again[s] || again[in]
		}
	}
	return again
}

// invalidate removes the finished stages, of any experiment, that were built on an earlier run of a forced
// stage. It is called before the new one is put in place: a crash in between leaves stages missing, never
// stages built on something else.
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
