package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/urfave/cli/v2"
)

// packCommand is the command pack.
func packCommand(e *env) *cli.Command {
	var o modelChoice
	var out string
	return leaf(&cli.Command{
		Name:  "pack",
		Usage: "put trained models into one file, to pass on",
		Description: describe("The file contains all that `transfer` and `mask explain` need: weights, "+
			"vocabulary, settings and checksums. Use it with their option --packed; no experiment file, "+
			"workspace or data are needed. It is a ZIP archive without compression. It contains the words of "+
			"the vocabulary and n-gram counts of the training text, so the licence of the corpus applies to "+
			"whoever passes it on. README.md in it is a model card: sizes, data, training, scores and limits "+
			"(unpack --card prints it). The models are chosen as for `transfer`.",
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
		err = notOver("--output", out, s.Experiment.Path)
	}
	if err != nil {
		return err
	}
	card, err := found.Card(s.Plan, s.Workspace)
	if err != nil {
		return err
	}
	m, err := rewrite.Write(out, found, s.Workspace, card)
	if err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: %s, %s; use it with `smlm-exp transfer --packed %s --to %s` or `smlm-exp serve %s`\n", out,
		m.Name, wording.Bytes(info.Size()), out, m.Labels[1], out)
	return nil
}

// unpackCommand is the command unpack.
func unpackCommand(e *env) *cli.Command {
	var out, dir string
	var card bool
	return leaf(&cli.Command{
		Name:      "unpack",
		Usage:     "unpack a packed model into a folder or a workspace",
		ArgsUsage: "FILE",
		Description: describe("`transfer` uses a packed model as it is. Unpack it to look at it, to read the "+
			"weights with other programs, or to put its stages into a workspace, where they count as "+
			"finished. Every file is verified.",
			"smlm-exp unpack cheerful.smlm --output cheerful", userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "output", Usage: "`FOLDER` to write, which must be new or empty", Destination: &out,
			},
			&cli.StringFlag{
				Name: "workspace", Usage: "`FOLDER` of a workspace to put the stages into; created if it does " +
					"not exist",
				Destination: &dir,
			},
			&cli.BoolFlag{Name: "card", Usage: "print the model card, README.md, and unpack nothing", Destination: &card},
		},
		Action: action(func(_ context.Context, args []string) error {
			if card {
				return printCard(e, args[0], out+dir)
			}
			return unpack(e, args[0], out, dir)
		}),
	})
}

// printCard prints the model card of a packed file; to is where it is to be unpacked as well.
func printCard(e *env, file, to string) error {
	if to != "" {
		return userr.New(userr.BadInput, "--card goes with neither --output nor --workspace: it unpacks nothing")
	}
	p, err := rewrite.Open(file)
	if err != nil {
		return err
	}
	defer p.Close()
	card, err := p.Card()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.stdout, card)
	return err
}

// unpack takes a packed file apart into a folder or, where that is not "", into a workspace.
func unpack(e *env, file, out, dir string) (err error) {
	if (out == "") == (dir == "") {
		return userr.New(userr.BadInput, "give either --output FOLDER or --workspace FOLDER, or --card")
	}
	p, err := rewrite.Open(file)
	if err != nil {
		return err
	}
	defer p.Close()
	if out != "" {
		if err := p.Extract(out); err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "%s: %s\n", filepath.Clean(out), p.Manifest.Name)
		return nil
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	if err := ws.Join(); err != nil {
		return err
	}
	defer ws.Unlock()
	added, err := p.Into(ws)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: %s, %s of them new\n", filepath.Clean(dir),
		wording.Count(len(p.Manifest.Stages), "stage"), fmt.Sprint(len(added)))
	return nil
}
