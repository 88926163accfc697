package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/urfave/cli/v2"
)

// runOptions holds the flags of `run`.
type runOptions struct {
	file runs.File
	runs.Options
	executor string // where stages run: local or slurm
	worker   bool   // set if this process runs stages for the process that started it
	onSlurm  string // if set, this process is a worker on Slurm and reads this copy of the experiment file
}

// executors lists the values of --executor, which says where stages run.
var executors = []string{"local", "slurm"}

func runCommand(e *env) *cli.Command {
	o := &runOptions{}
	return leaf(&cli.Command{
		Name:      "run",
		Usage:     "train and measure what an experiment file asks for, and print its tables",
		ArgsUsage: "FILE",
		Description: describe("Checks the file and the data, runs the stages that are not yet in the "+
			"workspace, writes the tables and prints the results. In a sweep, the printed table shows "+
			"each system at the setting that is best on dev sentences. You can stop it at any time: the same "+
			"command continues from there. A failed stage stops only the stages that need it.",
			"smlm-exp run experiments.toml --set masking.lambda_eps=[0,0.15] --threads 2",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: experimentFlags(&o.file,
			threadsFlag(&o.Threads),
			devicesFlag(&o.Devices),
			&cli.StringSliceFlag{
				Name: "only", Action: into(&o.Only),
				Usage: "run only `STAGE` and what it needs: a name (divlstm) or the start of an identity; may " +
					"be repeated",
			},
			&cli.StringSliceFlag{
				Name: "force", Action: into(&o.Force),
				Usage: "run `STAGE` and everything built on it again, and remove what other runs built on it; " +
					"may be repeated",
			},
			&cli.IntFlag{
				Name: "workers", Value: 1, Destination: &o.Workers, Action: atLeastOne("workers"),
				Usage: "number `N` of processes that run stages side by side and share the cores; three fill " +
					"a large GPU; with --executor slurm, tasks of the job array",
			},
			&cli.BoolFlag{
				Name: runs.WorkerFlag, Hidden: true, Usage: "run stages beside another process, without tables",
				Destination: &o.worker,
			},
			&cli.StringFlag{
				Name: "executor", Value: "local", Destination: &o.executor,
				Usage: "`WHERE` stages run: local, or slurm, which submits a job array of workers and waits for them",
				Action: func(_ *cli.Context, name string) error {
					return known("--executor", executors, name)
				},
			},
			&cli.StringFlag{
				Name: slurm.WorkerFlag, Hidden: true, Destination: &o.onSlurm,
				Usage: "run stages as a worker on Slurm, without tables; the experiment file is read from `FILE`",
			},
			&cli.BoolFlag{Name: "quiet", Usage: "print no progress", Destination: &o.Quiet},
		),
		Action: action(func(ctx context.Context, args []string) error {
			o.file.Path = args[0]
			return interrupted(run(ctx, e, o), goesOn)
		}),
	})
}

func run(ctx context.Context, e *env, o *runOptions) error {
	start := time.Now()
	e.outlivePipes()
	o.file.Copy = o.onSlurm
	s, err := runs.Open(o.file)
	if err != nil {
		return err
	}
	o.Out, o.Backend, o.Slurm = e.rawStderr, e.backend, o.executor == "slurm"
	switch {
	case o.onSlurm != "":
		return s.RunOnSlurm(ctx, o.Options)
	case o.worker:
		return s.RunAsWorker(ctx, e.stdin, o.Options)
	}
	if o.Program, err = program(); err != nil {
		return err
	}
	ran := s.Run(ctx, o.Options)
	if ran != nil && (userr.CodeOf(ran) != userr.StageFailed || userr.Refused(ran)) {
		return ran
	}
	if len(o.Only) == 0 { // with --only, the user does not expect complete tables
		if err := writeAll(ctx, e, s); err != nil {
			if ran == nil {
				return err
			}
			fmt.Fprintf(e.stderr, "smlm-exp: the tables are not complete: %v\n", err)
		}
	}
	err = printVerdicts(e, s)
	if ran != nil { // the error comes last; the tables above have the rows of the other stages
		return userr.New(userr.StageFailed, "%w\ncorrect the cause, then repeat the command: finished stages are kept", ran)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s in %s; peak memory %s\n",
		s.Experiment.Name, time.Since(start).Round(10*time.Millisecond), wording.Bytes(machine.PeakMemory()))
	return nil
}

// printVerdicts prints, for each data set, how well style transfer by replacing words works. It
// warns about attention that is not on style words. Without a verdict, it also warns about masks
// that hide nothing or everything.
func printVerdicts(e *env, s *runs.Study) error {
	verdicts, err := results.Verdicts(s.Plan, s.Workspace)
	if err != nil {
		return err
	}
	for _, verdict := range verdicts {
		fmt.Fprintln(e.stdout, verdict.Text)
	}
	if sentence := results.OffStyle(s.Plan, s.Workspace, len(verdicts) > 0); sentence != "" {
		fmt.Fprintf(e.stderr, "smlm-exp: %s\n", sentence)
	}
	if len(verdicts) > 0 {
		return nil
	}
	for _, sentence := range results.DegenerateMasks(s.Plan, s.Workspace) {
		fmt.Fprintf(e.stderr, "smlm-exp: %s\n", sentence)
	}
	return nil
}

// program returns the path of this program. If a launcher script next to the program sets the path
// of libtorch, the function returns the launcher's path instead.
func program() (string, error) {
	path, err := exec.LookPath(os.Args[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fmt.Errorf("looking for this program: %w", err)
	}
	launcher := strings.TrimSuffix(path, ".bin")
	if info, err := os.Stat(launcher); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return launcher, nil
	}
	return path, nil
}
