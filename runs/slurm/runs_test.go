package slurm_test

import (
	"context"
	"os"

	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// backend runs every stage with a function of the tests.
type backend struct {
	stages.Torch
	code stage.Func
}

func (b backend) Run(ctx context.Context, job *stage.Job) error { return b.code(ctx, job) }

func init() {
	slurm.RunWorker = func(ctx context.Context, file, copied string, threads int, code stage.Func) error {
		s, err := runs.Open(runs.File{Path: file, Copy: copied})
		if err != nil {
			return err
		}
		return s.RunOnSlurm(ctx, runs.Options{Threads: threads, Out: os.Stdout, Backend: backend{code: code}})
	}
	slurm.Todo = func(p *plan.Plan, ws *workspace.Workspace) ([]*plan.Stage, error) {
		return runs.Todo(p, ws, runs.Options{})
	}
	slurm.RunHere = func(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, code stage.Func) error {
		return runs.Run(ctx, p, ws, code, runs.Options{Threads: 1, Quiet: true})
	}
}
