package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/urfave/cli/v2"
)

// executors say where stages run.
var executors = []string{"local", "slurm"}

func executorFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "executor", Value: "local",
		Usage: "`WHERE` the stages run: local, or slurm, which submits job arrays and waits for them",
		Action: func(_ *cli.Context, name string) error {
			return Known("--executor", executors, name)
		},
	}
}

// onSlurm says whether the stages of a run go to Slurm.
func onSlurm(c *cli.Context) (bool, error) {
	if c.String("executor") != "slurm" {
		return false, nil
	}
	for flag, why := range map[string]string{
		"force":   "as other tasks would take what is to be made again for finished",
		"workers": "as Slurm has workers of its own ([slurm] parallel)",
	} {
		if c.IsSet(flag) {
			return false, userr.New(userr.BadInput, "--%s and --executor slurm do not go together, %s: leave one of them out",
				flag, why)
		}
	}
	return true, nil
}

// bySlurm runs the stages as tasks of Slurm, each of which is this program with the same overrides.
func bySlurm(c *cli.Context, s *Study, todo []*plan.Stage, o runs.Options) error {
	path, err := program()
	if err != nil {
		return err
	}
	command := append([]string{path, "run", s.Exp.Path, "--workspace", s.WS.Dir}, again(c, o, "set", "dataset")...)
	return slurm.Run(c.Context, s.Plan, s.WS, todo, slurm.Options{
		Command: command, Threads: o.Threads, FailFast: o.FailFast, Quiet: o.Quiet, Out: o.Out,
	})
}

// again are the options of this run that another process of it needs.
func again(c *cli.Context, o runs.Options, lists ...string) (args []string) {
	for _, name := range lists {
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
	return args
}

// program is the path of this program, or of the launcher that looks for libtorch before it starts
// it.
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

// asTask is a run in a task of Slurm, which goes back into the queue where it is ended before its
// time.
func asTask(ctx context.Context, e *Env, t *slurm.Task, run func(ctx context.Context) error) error {
	err := run(ctx)
	if userr.CodeOf(err) == userr.Interrupted {
		fmt.Fprintf(e.Stderr, "smlm-exp: %s\n", t.Requeue())
	}
	return err
}
