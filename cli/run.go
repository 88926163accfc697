package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/smlm-exp/smlm-exp/runs/track"
	"github.com/urfave/cli/v2"
)

func runCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "run",
		Usage:     "train and measure what an experiment file asks for, and print its tables",
		ArgsUsage: "FILE",
		Description: describe("Checks the file and the data, runs the stages that are not in the workspace yet, "+
			"writes the tables and\n"+
			"prints the results; of a sweep a row a system, where the tables main and selection are among report.tables.\n"+
			"Stop it at any moment: the same command goes on from there. A failed stage stops only the stages that need\n"+
			"it.",
			"smlm-exp run experiments.toml --set masking.lambda_eps=[0,0.15] --threads 2",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: experimentFlags(
			threadsFlag(),
			devicesFlag("the file's, or auto"),
			&cli.StringSliceFlag{
				Name: "only",
				Usage: "run `STAGE` and what it needs: a kind (divlstm) or the start of an identity; " +
					"may be repeated",
			},
			&cli.StringSliceFlag{
				Name: "force", Usage: "run `STAGE` and what builds on it again; may be repeated",
			},
			workersFlag(),
			&cli.BoolFlag{Name: workerFlag, Hidden: true, Usage: "run stages beside another process, without tables"},
			executorFlag(),
			&cli.StringFlag{Name: slurm.TaskFlag, Hidden: true, Usage: "run what `FILE` has for this task of Slurm"},
			&cli.StringSliceFlag{Name: failedFlag, Hidden: true, Usage: "do not try `STAGE` again"},
			&cli.BoolFlag{Name: "fail-fast", Usage: "stop at the first failed stage"},
			&cli.BoolFlag{Name: "quiet", Usage: "print no progress"},
		),
		Action: onStudy(func(c *cli.Context, s *Study) error {
			return interrupted(runStudy(e, c, s), goesOn)
		}),
	})
}

func runStudy(e *Env, c *cli.Context, s *Study) error {
	start := time.Now()
	torch, err := e.NeedTorch()
	if err != nil {
		return err
	}
	o := runs.Options{
		Threads: c.Int("threads"), Devices: c.String("devices"), Force: c.StringSlice("force"),
		Only: c.StringSlice("only"), FailFast: c.Bool("fail-fast"), Quiet: c.Bool("quiet"), Out: e.Stderr,
	}
	here := func(ctx context.Context, p *plan.Plan, o runs.Options) error {
		return runs.Run(ctx, p, s.WS, torch.StageFuncs(), o)
	}
	if c.Bool(workerFlag) || c.String(slurm.TaskFlag) != "" {
		return runForAnother(e, c, s, torch, o, here)
	}
	submits, err := onSlurm(c)
	if err != nil {
		return err
	}
	following, err := track.Follow(s.Exp, track.Every)
	if err != nil {
		return err
	}
	var todo []*plan.Stage
	first := true
	ready := func(p *plan.Plan, o *runs.Options) (err error) {
		s.Plan = p
		if todo, err = readyToRun(torch, s, o, submits); err != nil {
			return err
		}
		if first {
			e.Warn(s)
		}
		first = false
		if len(todo) > 0 || s.Exp.Track != (experiment.TrackSettings{}) {
			following.Watch(p)
		}
		return withWorkers(c, s, o, todo)
	}
	run := func(p *plan.Plan, o runs.Options) error { return here(c.Context, p, o) }
	if submits {
		run = func(_ *plan.Plan, o runs.Options) error { return bySlurm(c, s, todo, o) }
	}
	var ran error
	s.Plan, ran = runs.RunAll(s.Plan, s.WS, o, ready, run)
	code := userr.CodeOf(ran)
	if code == userr.BadInput || code == userr.NoTorch { // the workspace or the machine cannot be used
		following.Drop()
		return ran
	}
	for _, sentence := range following.Stop() {
		fmt.Fprintf(e.Stderr, "smlm-exp: %s\n", sentence)
	}
	if code == userr.Interrupted {
		return ran
	}
	if err := s.Note(o.Only); err != nil {
		fmt.Fprintf(e.Stderr, "smlm-exp: `transfer` will not find the experiment by its name: %v\n", err)
	}
	if len(o.Only) == 0 { // otherwise most rows are missing on purpose
		if err := writeAll(c.Context, e, s); err != nil {
			if ran == nil {
				return err
			}
			fmt.Fprintf(e.Stderr, "smlm-exp: the tables are not complete: %v\n", err)
		}
	}
	warnOfAttention(e, s)
	if ran != nil { // a failed stage: the tables have the rows of the others
		return ran
	}
	fmt.Fprintf(e.Stdout, "%s in %s; peak memory %s\n",
		s.Exp.Name, time.Since(start).Round(10*time.Millisecond), peakMemory())
	return nil
}

// readyToRun refuses a plan that cannot be run, here unless it is submitted, and lists what is to
// run.
func readyToRun(torch Torch, s *Study, o *runs.Options, submitted bool) ([]*plan.Stage, error) {
	todo, err := runs.Todo(s.Plan, s.WS, *o)
	if err != nil {
		return nil, err
	}
	if err := s.Plan.Check(todo); err != nil || len(todo) == 0 || submitted {
		return todo, err // a machine without the file's device prints the tables too
	}
	precisions := lists.Map(todo, (*plan.Stage).Precision)
	return todo, torch.CheckMachine(cmp.Or(o.Devices, s.Exp.Devices), precisions)
}

// peakMemory is the most resident memory this process has had: "412 MB".
func peakMemory() string {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return "unknown"
	}
	bytes := u.Maxrss * 1024 // Linux counts in KiB
	if runtime.GOOS == "darwin" {
		bytes = u.Maxrss
	}
	return wording.Bytes(bytes)
}
