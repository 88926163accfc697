package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/urfave/cli/v2"
)

func packCommand(e *env) *cli.Command {
	var o modelChoice
	var out string
	return leaf(&cli.Command{
		Name:  "pack",
		Usage: "put trained models into one file, to pass on",
		Description: describe("The file contains all that `transfer` and `mask explain` need: weights, "+
			"vocabulary, settings and checksums. Use it with their option --packed; no experiment file, "+
			"workspace or data are needed. It is a ZIP archive without compression. It contains the words of "+
			"the vocabulary and trigrams of the training text, so the licence of the corpus applies to "+
			"whoever passes it on. The models are chosen as for `transfer`.",
			"smlm-exp pack --experiment experiments.toml --output cheerful.smlm",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags:  o.flags(&cli.StringFlag{Name: "output", Usage: "`FILE` to write", Destination: &out}),
		Action: action(func(context.Context, []string) error { return pack(e, &o, out) }),
	})
}

func pack(e *env, o *modelChoice, out string) error {
	if out == "" {
		return userr.New(userr.BadInput, "--output FILE is missing: name the file to write, see `smlm-exp "+
			"pack --help`")
	}
	s, found, err := o.choose(e)
	if err == nil {
		err = notOver(out, s.Experiment.Path)
	}
	if err != nil {
		return err
	}
	m, err := rewrite.Write(out, found, s.Workspace)
	if err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: %s, %s; use it with `%s` or `%s`\n", out, m.Name, wording.Bytes(info.Size()),
		wording.Command("smlm-exp", "transfer", "--packed", out, "--to", m.Labels[1]),
		wording.Command("smlm-exp", "serve", out))
	return nil
}
