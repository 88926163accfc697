package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/doctor"
	"github.com/urfave/cli/v2"
)

func doctorCommand(e *env) *cli.Command {
	var dir string
	return leaf(&cli.Command{
		Name:  "doctor",
		Usage: "check libtorch, the devices, optional tools and the workspace",
		Description: describe("Prints a line each: the libtorch that was found; CUDA; every device, with the precision that "+
			"\"auto\" means there; WordNet; Slurm; the available memory; and whether the workspace can be written.",
			"smlm-exp doctor", userr.OK, userr.BadInput, userr.NoTorch),
		Flags: []cli.Flag{&cli.StringFlag{
			Name: "workspace", Usage: "`FOLDER` of the workspace to check", Value: defaultWorkspace, Destination: &dir,
		}},
		Action: action(func(context.Context, []string) error {
			fmt.Fprintln(e.stdout, version())
			return doctor.Examine(e.stdout, dir)
		}),
	})
}
