package cli

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

func doctorCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:  "doctor",
		Usage: "check libtorch and the devices, and say what to set",
		Description: describe("Says which libtorch was found and its version, which devices there are, "+
			"runs a tiny forward and backward\n"+
			"pass on each, and says in words what to change.",
			"smlm-exp doctor", userr.OK, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Action: taking(func(c *cli.Context, _ []string) error {
			fmt.Fprintln(e.Stdout, version())
			torch, err := e.NeedTorch()
			if err != nil {
				return err
			}
			return torch.Doctor(c.Context, e.Stdout)
		}),
	})
}
