package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/doctor"
	"github.com/urfave/cli/v2"
)

func doctorCommand(e *env) *cli.Command {
	return leaf(&cli.Command{
		Name:  "doctor",
		Usage: "check libtorch and the devices, and say what to change",
		Description: describe("Shows which version of libtorch was found and which devices there are, runs a "+
			"small forward and backward pass on each device, and says what to change.",
			"smlm-exp doctor", userr.OK, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Action: action(func(ctx context.Context, _ []string) error {
			fmt.Fprintln(e.stdout, version())
			return doctor.Examine(ctx, e.stdout)
		}),
	})
}
