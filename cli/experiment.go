package cli

import (
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/device"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

// experimentFlags are those of every command that reads an experiment file.
func experimentFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringSliceFlag{
			Name:  "set",
			Usage: "`KEY=VALUE` in place of the file's, such as masking.lambda_eps=[0,0.15]; may be repeated",
		},
		&cli.StringSliceFlag{
			Name: "dataset", Usage: "`NAME` of the data set to keep to; may be repeated", DefaultText: "all",
		},
		&cli.StringFlag{Name: "workspace", Usage: "`FOLDER` of finished stages, in place of the file's"},
	}, more...)
}

// study is an experiment file, its stages and where they lie.
type study struct {
	exp  *experiment.Experiment
	plan *plan.Plan
	ws   *workspace.Workspace
}

// onStudy is the action of a command whose first argument is an experiment file.
func onStudy(run func(c *cli.Context, s *study) error) cli.ActionFunc {
	return taking(func(c *cli.Context, args []string) error {
		s, err := openStudy(c, args[0])
		if err != nil {
			return err
		}
		return run(c, s)
	})
}

// openStudy reads an experiment file with the overrides of experimentFlags, plans it and opens its
// workspace.
func openStudy(c *cli.Context, file string) (*study, error) {
	exp, err := experiment.Load(file, c.StringSlice("set"))
	if err != nil {
		return nil, err
	}
	if err := exp.Only(c.StringSlice("dataset")); err != nil {
		return nil, err
	}
	if dir := c.String("workspace"); dir != "" {
		if exp.Workspace, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	s := &study{exp: exp}
	if s.plan, err = plan.New(exp); err != nil {
		return nil, err
	}
	s.ws, err = workspace.Open(exp.Workspace)
	return s, err
}

// collect reads the results of a study and says on standard error which stages are damaged.
func (e *env) collect(s *study) (*results.Results, error) {
	found, err := results.Collect(s.plan, s.ws)
	if err != nil {
		return nil, err
	}
	for _, d := range found.Damaged {
		fmt.Fprintf(e.stderr, "smlm-exp: %v; until then what rests on it is left out\n", d)
	}
	return found, nil
}

// warn says on standard error what the data have that is seldom meant.
func (e *env) warn(s *study) {
	for _, warning := range s.plan.Warnings() {
		fmt.Fprintf(e.stderr, "smlm-exp: %s\n", warning)
	}
}

// devicesFlag is of every command that computes with tensors.
func devicesFlag(otherwise string) cli.Flag {
	return &cli.StringFlag{
		Name: "devices", Aliases: []string{"device"}, DefaultText: otherwise,
		Usage: "`NAME` of the device to compute on: auto, cpu, cuda or cuda:N",
		Action: func(_ *cli.Context, name string) error {
			if _, err := device.Parse(name); err != nil || name == "" {
				return userr.New(userr.BadInput, "--devices is %q, but must be %s", name, device.Wanted)
			}
			return nil
		},
	}
}

// threadsFlag is of every command that computes with the threads of an experiment file.
func threadsFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "threads", Usage: "`N` threads", DefaultText: "the file's, or all cores",
		Action: atLeastOne("threads"),
	}
}

// atLeastOne refuses a smaller value of a flag.
func atLeastOne(flag string) func(*cli.Context, int) error {
	return func(_ *cli.Context, n int) error {
		if n < 1 {
			return userr.New(userr.BadInput, "--%s is %d and must be at least 1", flag, n)
		}
		return nil
	}
}
