package cli

import (
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/device"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

// experimentFlags are those of every command that reads an experiment file.
func experimentFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` in place of the file's, such as masking.lambda_eps=[0,0.15]; may be repeated"},
		&cli.StringFlag{Name: "workspace", Usage: "`FOLDER` of finished stages, in place of the file's"},
	}, more...)
}

// study is an experiment file, its stages and where they lie.
type study struct {
	exp  *experiment.Experiment
	plan *plan.Plan
	ws   *workspace.Workspace
}

// openStudy reads an experiment file with the overrides of experimentFlags, plans it and opens its workspace.
func openStudy(c *cli.Context, file string) (*study, error) {
	exp, err := experiment.Load(file, c.StringSlice("set"))
	if err != nil {
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

// devicesFlag is of every command that computes with tensors.
func devicesFlag(otherwise string) cli.Flag {
	return &cli.StringFlag{Name: "devices", Aliases: []string{"device"}, Usage: "`NAME` of the device to compute on: auto, cpu, cuda or cuda:N", DefaultText: otherwise}
}

// devices reads --devices: "" leaves the choice to the experiment file.
func devices(c *cli.Context) (string, error) {
	name := c.String("devices")
	if _, err := device.Parse(name); err != nil || c.IsSet("devices") && name == "" {
		return "", userr.New(userr.BadInput, "--devices is %q, but must be %s", name, device.Wanted)
	}
	return name, nil
}

// threads reads --threads: 0 leaves the choice to the experiment file.
func threads(c *cli.Context) (int, error) {
	n := c.Int("threads")
	if n < 0 || c.IsSet("threads") && n == 0 {
		return 0, userr.New(userr.BadInput, "--threads is %d and must be at least 1", n)
	}
	return n, nil
}
