package runs

import (
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/search"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// RunAll runs a plan that may grow by what it finds: run is called, the search decides, and what
// that adds is run, until nothing is added. It returns the plan that it ended with. Before each
// time ready is called, which may refuse the plan and change the options. A stage that fails holds
// up nothing: it is told of in the end, and not tried twice.
func RunAll(
	p *plan.Plan, ws *workspace.Workspace, o Options, ready func(*plan.Plan, *Options) error,
	run func(*plan.Plan, Options) error,
) (*plan.Plan, error) {
	before := map[string]time.Time{} // when what failed before this run did so
	for _, f := range ws.Failures() {
		before[f.ID] = f.End
	}
	for {
		if err := ready(p, &o); err != nil {
			return p, err
		}
		ran := run(p, o)
		if ran != nil && (userr.CodeOf(ran) != userr.StageFailed || o.FailFast) || len(o.Only) > 0 {
			return p, ran
		}
		next, grown, err := search.Grow(p, ws)
		if err != nil {
			return p, err
		}
		if !grown {
			return p, ran
		}
		p, o.Force, o.Failed = next, nil, nil
		for _, f := range ws.Failures() {
			if !f.End.Equal(before[f.ID]) {
				o.Failed = append(o.Failed, f.ID)
			}
		}
	}
}
