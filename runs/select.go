package runs

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Todo lists the stages that Run would run, in the plan's order: those not finished, damaged or
// forced, and where a selection is made only the selected ones and what they need. It changes
// nothing, and reads all files of the others to the end. A pattern that means no stage is an error
// (userr.BadInput), and so is what the plan lacks.
func Todo(p *plan.Plan, ws *workspace.Workspace, o Options) ([]*plan.Stage, error) {
	todo, _, err := examine(p, ws, o)
	return todo, err
}

// examine is Todo, and tells what is damaged of the stages wanted.
func examine(
	p *plan.Plan, ws *workspace.Workspace, o Options,
) (todo []*plan.Stage, damaged []*workspace.Damage, err error) {
	if p.Lacks != nil {
		return nil, nil, p.Lacks
	}
	if err := p.CheckPatterns("--force", o.Force); err != nil {
		return nil, nil, err
	}
	if err := p.CheckPatterns("--only", o.Only); err != nil {
		return nil, nil, err
	}
	wanted := p.Stages
	if len(o.Only) > 0 {
		wanted = p.Select(o.Only)
	}
	if len(o.given) > 0 {
		wanted = lists.Where(wanted, func(s *plan.Stage) bool { return slices.Contains(o.given, s.ID) })
	}
	again := forced(p, o)
	damaged = ws.Verify(wanted...)
	for _, d := range damaged {
		again[d.Stage] = true
	}
	todo = lists.Where(wanted, func(s *plan.Stage) bool { return again[s] || !ws.Done(s) })
	return todo, damaged, nil
}

// forced are the stages to run again, finished or not: those that a pattern means, and all that
// build on them.
func forced(p *plan.Plan, o Options) map[*plan.Stage]bool {
	return p.Resting(func(s *plan.Stage) bool { return s.Matches(o.Force) })
}
