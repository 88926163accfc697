package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

// workerFlag is what a process is started with that runs stages beside the one that was asked for
// workers, and failedFlag names the stages that failed in it before.
const (
	workerFlag = "worker"
	failedFlag = "failed"
)

func workersFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "workers", Value: 1,
		Usage: "`N` processes that run stages side by side, each with its share of the cores; " +
			"on a GPU three fill a large one",
		Action: atLeastOne("workers"),
	}
}

// runForAnother runs stages for a process that was asked for workers, or that submitted tasks to
// Slurm. It makes no tables, and follows no search.
func runForAnother(
	e *Env, c *cli.Context, s *Study, torch Torch, o runs.Options,
	here func(context.Context, *plan.Plan, runs.Options) error,
) error {
	var task *slurm.Task
	if list := c.String(slurm.TaskFlag); list != "" {
		var err error
		if task, err = slurm.OpenTask(list, s.Plan, s.WS); err != nil {
			return err
		}
		o.Given = task.Given
	}
	o.Failed = c.StringSlice(failedFlag)
	if _, err := readyToRun(torch, s, &o, false); err != nil {
		return err
	}
	run := func(ctx context.Context) error { return here(ctx, s.Plan, o) }
	if task != nil {
		return asTask(c.Context, e, task, run)
	}
	return asWorker(c.Context, e.Stdin, run)
}

// asWorker is a run beside the process that started this one and holds its standard input open: it
// ends when that process does, which finds failed stages by their records.
func asWorker(ctx context.Context, in io.Reader, run func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	switch err := run(ctx); userr.CodeOf(err) {
	case userr.StageFailed, userr.Interrupted:
		return nil
	default:
		return err
	}
}

// withWorkers adds to a run the other processes that --workers asks for, no more than stages to run
// and than find room in memory, and gives each its share of the cores.
func withWorkers(c *cli.Context, s *Study, o *runs.Options, todo []*plan.Stage) error {
	o.Helpers, o.Threads = nil, c.Int("threads")
	n := min(c.Int("workers"), len(todo))
	if n < 2 {
		return nil
	}
	if len(o.Force) > 0 {
		return userr.New(userr.BadInput, "--force and --workers do not go together, as others would take what is to be "+
			"made again for finished: leave one of them out")
	}
	if free, ok := workspace.FreeMemory(); ok {
		takes := s.WS.Timings().Estimate(todo)
		if fit := takes.Fit(n, free); fit < n {
			fmt.Fprintf(o.Out, "smlm-exp: %s in place of %d: a stage like these took %s of memory and %s are free\n",
				wording.Count(fit, "worker"), n, wording.Bytes(takes.Memory), wording.Bytes(free))
			n = fit
		}
	}
	share := max(1, runtime.NumCPU()/n)
	o.Threads = min(share, cmp.Or(o.Threads, s.Exp.Threads, share))
	args := []string{
		"run", s.Exp.Path, "--" + workerFlag, "--quiet", "--threads", strconv.Itoa(o.Threads), "--workspace", s.WS.Dir,
	}
	args = append(args, again(c, *o, "set", "dataset", "only")...)
	for _, id := range o.Failed {
		args = append(args, "--"+failedFlag, id)
	}
	for range n - 1 {
		o.Helpers = append(o.Helpers, exec.Command(os.Args[0], args...))
	}
	return nil
}
