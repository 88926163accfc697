package cli

import (
	"cmp"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/urfave/cli/v2"
)

// The function into returns the action of a flag that may be repeated. The action stores the flag's
// values in the given list.
func into[T any](list *[]T) func(*cli.Context, []T) error {
	return func(_ *cli.Context, values []T) error {
		*list = values
		return nil
	}
}

// experimentFlags returns the flags of a command that reads an experiment file: the flags that
// override the file's keys, followed by those in the list "more".
func experimentFlags(f *runs.File, more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringSliceFlag{
			Name: "set", Action: into(&f.Set),
			Usage: "set a key to another value than the file's: `KEY=VALUE`, such as " +
				"masking.lambda_eps=[0,0.15]; may be repeated",
		},
		&cli.StringSliceFlag{
			Name: "dataset", Action: into(&f.Datasets),
			Usage: "use only the data set `NAME`; may be repeated", DefaultText: "all",
		},
		workspaceFlag(&f.Workspace),
	}, more...)
}

// givenOf returns the names of those flags of experimentFlags that the user gave.
func givenOf(f *runs.File) (flags []string) {
	if len(f.Set) > 0 {
		flags = append(flags, "set")
	}
	if len(f.Datasets) > 0 {
		flags = append(flags, "dataset")
	}
	if f.Workspace != "" {
		flags = append(flags, "workspace")
	}
	return flags
}

// workspaceFlag returns --workspace, for commands that use a workspace.
func workspaceFlag(dir *string) cli.Flag {
	return &cli.StringFlag{
		Name: "workspace", Usage: "`FOLDER` of the workspace, in place of the file's", Destination: dir,
	}
}

// devicesFlag returns --devices, for commands that compute with tensors.
func devicesFlag(devices *string) cli.Flag {
	return &cli.StringFlag{
		Name: "devices", Aliases: []string{"device"}, DefaultText: "the file's, or auto", Destination: devices,
		Usage: "device to compute on, `NAME`: auto, cpu, cuda or cuda:N",
		Action: func(_ *cli.Context, name string) error {
			if _, err := machine.ParseDevice(name); err != nil || name == "" {
				return userr.New(userr.BadInput, "--devices is %q, but must be %s", name, machine.DeviceNames)
			}
			return nil
		},
	}
}

// threadsFlag returns --threads. Its default is the number of threads in the experiment file.
func threadsFlag(threads *int) cli.Flag {
	return &cli.IntFlag{
		Name: "threads", Usage: "number `N` of threads", DefaultText: "the file's, or all cores", Destination: threads,
		Action: atLeastOne("threads"),
	}
}

// computing has the values of --threads and --devices. A value is zero if the flag was not given.
type computing struct {
	threads int
	devices string
}

func (c *computing) flags() []cli.Flag {
	return []cli.Flag{threadsFlag(&c.threads), devicesFlag(&c.devices)}
}

// The method of returns the number of threads and the devices to use. If the user did not give a
// flag, its value comes from the experiment e. If e is nil, the defaults are all cores and any
// device.
func (c computing) of(e *experiment.Experiment) (threads int, devices string) {
	if e == nil {
		e = &experiment.Experiment{Devices: machine.Auto}
	}
	return cmp.Or(c.threads, e.Threads), cmp.Or(c.devices, e.Devices)
}

// atLeastOne returns the action of a flag that must be 1 or more.
func atLeastOne(flag string) func(*cli.Context, int) error {
	return func(_ *cli.Context, n int) error {
		if n < 1 {
			return userr.New(userr.BadInput, "--%s is %d, but must be at least 1", flag, n)
		}
		return nil
	}
}

// tableFormatFlag returns --format, for commands that print tables.
func tableFormatFlag(format *string) cli.Flag {
	return &cli.StringFlag{
		Name: "format", Usage: "`FORMAT`: " + strings.Join(table.Formats, ", "), Value: "text", Destination: format,
		Action: func(_ *cli.Context, format string) error { return known("--format", table.Formats, format) },
	}
}
