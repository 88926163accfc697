package runs

import (
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Todo lists the stages that Run would run, in the plan's order: those not finished, damaged or
// forced, and where a selection is made only the selected ones and what they need. It changes
// nothing, and reads all files of the others to the end. A pattern that means no stage is an error
// (userr.BadInput).
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
	damaged := map[*plan.Stage]bool{}
	for _, d := range ws.Verify(wanted...) {
		damaged[d.Stage] = true
	}
	var todo []*plan.Stage
	for _, s := range wanted {
		if again[s] || damaged[s] || !ws.Done(s) {
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
