package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/doctor"
	"github.com/urfave/cli/v2"
)

func doctorCommand(e *env) *cli.Command {
	var encoder string
	return leaf(&cli.Command{
		Name:  "doctor",
		Usage: "check libtorch and the devices, and say what to change",
		Description: describe("Shows which version of libtorch was found and which devices there are, runs a "+
			"small forward and backward pass on each device, and says what to change. With --encoder it also "+
			"says how large a pretrained encoder is, and how much time and memory training from it takes here.",
			"smlm-exp doctor", userr.OK, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: []cli.Flag{&cli.StringFlag{
			Name: "encoder", Usage: "`FOLDER` of a pretrained encoder to try too", Destination: &encoder,
		}},
		Action: action(func(ctx context.Context, _ []string) error {
			fmt.Fprintln(e.stdout, version())
			return doctor.Examine(ctx, e.stdout, encoder)
		}),
	})
}
