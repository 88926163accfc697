package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/urfave/cli/v2"
)

func exportCommand(e *env) *cli.Command {
	var o modelChoice
	var out string
	return leaf(&cli.Command{
		Name:  "export",
		Usage: "write trained models for PyTorch: weights, shapes and scripts that load them",
		Description: describe("Writes smlm.safetensors and divlstm.safetensors, whose tensors are named as in "+
			"PyTorch's own layers; config.json with shapes and control codes; vocab.txt; and two short scripts "+
			"that build the models in torch.nn and give the same logits: load.py refills masks, "+
			"divlstm.py says what to mask. The models are chosen as for `transfer`, or come from a packed "+
			"file.",
			"smlm-exp export --experiment experiments.toml --output exported &&\n    "+
				"python exported/load.py 'the soup was <mask> .' 1",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: o.flags(packedFlag(&o.packed), &cli.StringFlag{
			Name: "output", Usage: "`FOLDER` to write, which must be new or empty", Destination: &out,
		}),
		Action: action(func(context.Context, []string) error { return exportModels(e, &o, out) }),
	})
}

func exportModels(e *env, o *modelChoice, out string) error {
	if out == "" {
		return userr.New(userr.BadInput, "--output FOLDER is missing: name the folder to write, see `smlm-exp "+
			"export --help`")
	}
	if err := files.EmptyFolder(out); err != nil {
		return err
	}
	write := func(inputs map[string]string, labels corpus.Styles) error {
		err := files.WriteFolder(out, func(apart string) error { return rewrite.Export(apart, inputs, labels) })
		if err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "%s: try `python %s 'the soup was <mask> .' 1`\n", filepath.Clean(out),
			wording.ShellWord(filepath.Join(out, "load.py")))
		return nil
	}
	if o.packed == "" {
		_, found, err := o.choose(e)
		if err != nil {
			return err
		}
		return write(found.Request.Inputs, found.Labels)
	}
	p, err := openPacked(o.packed, o.given())
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Temporary(func(dir string) error { return write(p.Request(dir).Inputs, p.Manifest.Labels) })
}
