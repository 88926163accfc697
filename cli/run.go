package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

func (e *env) runCommand() *cli.Command {
	return leaf(&cli.Command{
		Name:      "run",
		Usage:     "train and measure what an experiment file asks for, and print its tables",
		ArgsUsage: "FILE",
		Description: describe("Checks the file and the data, runs the stages that are not in the workspace yet, "+
			"writes the tables and\n"+
			"prints the results. Stop it at any moment: the same command goes on from there. A failed stage stops\n"+
			"only the stages that need it.",
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
			&cli.BoolFlag{Name: "fail-fast", Usage: "stop at the first failed stage"},
			&cli.BoolFlag{Name: "quiet", Usage: "print no progress"},
		),
		Action: onStudy(e.runStudy),
	})
}

func (e *env) runStudy(c *cli.Context, s *study) error {
	start := time.Now()
	torch, err := e.needTorch()
	if err != nil {
		return err
	}
	o := runs.Options{
		Threads: c.Int("threads"), Devices: c.String("devices"), Force: c.StringSlice("force"),
		Only: c.StringSlice("only"), FailFast: c.Bool("fail-fast"), Quiet: c.Bool("quiet"), Out: e.stderr,
	}
	todo, err := runs.Todo(s.plan, s.ws, o)
	if err != nil {
		return err
	}
	if err := s.plan.Check(todo); err != nil {
		return err
	}
	e.warn(s)
	if len(todo) > 0 { // otherwise a machine without the file's device prints the tables too
		var precisions []string
		for _, stage := range todo {
			precisions = append(precisions, stage.Precision())
		}
		if err := torch.CheckMachine(cmp.Or(o.Devices, s.exp.Devices), precisions); err != nil {
			return err
		}
	}
	if err := withWorkers(c, s, &o, len(todo)); err != nil {
		return err
	}
	if c.Bool(workerFlag) {
		return asWorker(c.Context, e.stdin, func(ctx context.Context) error {
			return runs.Run(ctx, s.plan, s.ws, torch.StageFuncs(), o)
		})
	}
	ran := runs.Run(c.Context, s.plan, s.ws, torch.StageFuncs(), o)
	if ran != nil && userr.CodeOf(ran) != userr.StageFailed {
		return ran
	}
	if len(o.Only) == 0 { // otherwise most rows are missing on purpose
		if err := e.writeAll(c.Context, s); err != nil {
			if ran == nil {
				return err
			}
			fmt.Fprintf(e.stderr, "smlm-exp: the tables are not complete: %v\n", err)
		}
	}
	if ran != nil { // a failed stage: the tables have the rows of the others
		return ran
	}
	fmt.Fprintf(e.stdout, "%s in %s; peak memory %s\n",
		s.exp.Name, time.Since(start).Round(10*time.Millisecond), peakMemory())
	return nil
}

// writeAll writes the tables, the figures and the page of what is finished.
func (e *env) writeAll(ctx context.Context, s *study) error {
	found, err := e.collect(s)
	if err != nil {
		return err
	}
	if err := found.Test(ctx); err != nil {
		return err
	}
	if err := e.orKept(e.writeTables(s, found)); err != nil {
		return err
	}
	if figures := found.Figures(); len(figures) > 0 {
		if err := e.orKept(e.writeFigures(s, found, figures)); err != nil {
			return err
		}
	}
	if !s.exp.Report.Page {
		return nil
	}
	return e.orKept(e.writePage(s, found, ""))
}

// orKept says on standard error what was not written over because it shows more than is finished;
// other errors stay.
func (e *env) orKept(err error) error {
	var fewer *results.Fewer
	if !errors.As(err, &fewer) {
		return err
	}
	fmt.Fprintf(e.stderr, "smlm-exp: %v\n", fewer)
	return nil
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

// workerFlag is what a process is started with that runs stages beside the one that was asked for
// workers.
const workerFlag = "worker"

func workersFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "workers", Value: 1,
		Usage: "`N` processes that run stages side by side, each with its share of the cores; " +
			"on a GPU three fill a large one",
		Action: atLeastOne("workers"),
	}
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

// withWorkers adds to a run the other processes that --workers asks for, no more than stages, and
// gives each its share of the cores.
func withWorkers(c *cli.Context, s *study, o *runs.Options, stages int) error {
	n := min(c.Int("workers"), stages)
	if n < 2 {
		return nil
	}
	if len(o.Force) > 0 {
		return userr.New(userr.BadInput, "--force and --workers do not go together, as others would take what is to be "+
			"made again for finished: leave one of them out")
	}
	share := max(1, runtime.NumCPU()/n)
	o.Threads = min(share, cmp.Or(o.Threads, s.exp.Threads, share))
	args := []string{
		"run", s.exp.Path, "--" + workerFlag, "--quiet", "--threads", strconv.Itoa(o.Threads), "--workspace", s.ws.Dir,
	}
	for _, name := range []string{"set", "dataset", "only"} {
		for _, value := range c.StringSlice(name) {
			args = append(args, "--"+name, value)
		}
	}
	if o.Devices != "" {
		args = append(args, "--devices", o.Devices)
	}
	if o.FailFast {
		args = append(args, "--fail-fast")
	}
	for range n - 1 {
		o.Helpers = append(o.Helpers, exec.Command(os.Args[0], args...))
	}
	return nil
}
