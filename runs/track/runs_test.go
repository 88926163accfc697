package track_test

import (
	"context"
	"io"

	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/track"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

func init() {
	track.RunHere = func(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, code stage.Func) error {
		return runs.Run(ctx, p, ws, code, runs.Options{Out: io.Discard})
	}
}
