package cli

import (
	"cmp"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
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
		workspaceFlag(),
	}, more...)
}

// workspaceFlag is of every command that looks at a workspace.
func workspaceFlag() cli.Flag {
	return &cli.StringFlag{Name: "workspace", Usage: "`FOLDER` of finished stages, in place of the file's"}
}

// devicesFlag is of every command that computes with tensors.
func devicesFlag(otherwise string) cli.Flag {
	return &cli.StringFlag{
		Name: "devices", Aliases: []string{"device"}, DefaultText: otherwise,
		Usage: "`NAME` of the device to compute on: auto, cpu, cuda or cuda:N",
		Action: func(_ *cli.Context, name string) error {
			if _, err := machine.ParseDevice(name); err != nil || name == "" {
				return userr.New(userr.BadInput, "--devices is %q, but must be %s", name, machine.Wanted)
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

// Machine is what --threads and --devices say, or else an experiment; without one all cores and any
// device.
func Machine(c *cli.Context, exp *experiment.Experiment) (threads int, devices string) {
	if exp == nil {
		exp = &experiment.Experiment{Devices: machine.Auto}
	}
	return cmp.Or(c.Int("threads"), exp.Threads), cmp.Or(c.String("devices"), exp.Devices)
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

// mostResamples bounds time and memory: more change no third digit of a p.
const mostResamples = 100_000

// checkResamples refuses a number of resamples that is none or too large.
func checkResamples(n int) error {
	if n < 1 || n > mostResamples {
		return userr.New(userr.BadInput, "--resamples is %d and must be 1 to %d", n, mostResamples)
	}
	return nil
}

// tableFormatFlag is of every command that prints tables.
func tableFormatFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "format", Usage: "`FORMAT`: " + strings.Join(table.Formats, ", "), Value: "text",
		Action: func(_ *cli.Context, format string) error { return Known("--format", table.Formats, format) },
	}
}
