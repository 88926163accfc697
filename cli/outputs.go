package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// outputsCommand is the group of commands about systems' outputs.
func outputsCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "outputs", Usage: "make a folder of systems' outputs to publish",
		Subcommands: []*cli.Command{outputsExportCommand(e)},
	})
}

func outputsExportCommand(e *env) *cli.Command {
	var file runs.File
	var o results.Outputs
	return leaf(&cli.Command{
		Name:      "export",
		Usage:     "write systems' outputs with settings, scores and a README.md into a folder to publish",
		ArgsUsage: "FILE FOLDER",
		Description: describe("FOLDER gets outputs/DATASET/SYSTEM.0.txt and so on, which the key datasets.NAME.outputs of an "+
			"experiment reads back; settings.toml, with every setting; scores.csv, scores.json and signatures.txt; and "+
			"README.md, which explains them and tells the licence of the data (datasets.NAME.licence). Without --system it "+
			"has all systems that the experiment trained. FOLDER must be new or empty. Trains nothing.",
			"smlm-exp outputs export yelp.toml ../outputs --system 'SMLM (guided)'",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&file,
			&cli.StringSliceFlag{
				Name: "system", Action: into(&o.Systems),
				Usage: "`NAME` of a system as tables print it, with all its rows, or of published outputs; may be repeated",
			},
			&cli.BoolFlag{
				Name: "with-sources", Usage: "the test sentences too, if their licence allows it", Destination: &o.Sources,
			},
		),
		Action: action(func(_ context.Context, args []string) error {
			file.Path = args[0]
			return exportOutputs(e, file, args[1], o)
		}),
	})
}

func exportOutputs(e *env, file runs.File, dir string, o results.Outputs) error {
	if err := files.EmptyFolder(dir); err != nil {
		return err
	}
	s, err := runs.Open(file)
	if err != nil {
		return err
	}
	found, err := s.Results()
	if err != nil {
		return err
	}
	n, err := found.WriteOutputs(dir, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: outputs of %s; read README.md before you publish it\n", filepath.Clean(dir),
		wording.Count(n, "system"))
	return nil
}
