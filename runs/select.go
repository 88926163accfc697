package runs

import (
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Todo lists the stages that Run would run, in the plan's order: those not finished or forced, and
// where a selection is made only the selected ones and what they need. It changes nothing. A
// pattern that means no stage is an error (userr.BadInput).
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

// forced are the stages to run again, finished or not: those that a pattern means, and all that
// build on them.
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
