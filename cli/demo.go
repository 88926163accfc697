package cli

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

func demoCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "demo",
		Usage:     "write the embedded demo corpus as files",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER is made; if it is there it must be empty.",
			"smlm-exp data demo demo-corpus", userr.OK, userr.BadInput),
		Action: taking(func(_ *cli.Context, args []string) error {
			if err := emptyFolder(args[0]); err != nil {
				return err
			}
			if err := makeFolder(args[0]); err != nil {
				return err
			}
			d := corpus.Demo()
			if err := d.Save(args[0]); err != nil {
				return userr.New(userr.BadInput, "writing the demo corpus to %q: %w", args[0], err)
			}
			wrote(e, args[0], d)
			return nil
		}),
	})
}
