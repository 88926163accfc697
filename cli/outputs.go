package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/urfave/cli/v2"
)

// outputsCommand returns the group of commands for systems' outputs.
func outputsCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "outputs", Usage: "make a folder of systems' outputs",
		Subcommands: []*cli.Command{outputsExportCommand(e)},
	})
}

func outputsExportCommand(e *env) *cli.Command {
	var file runs.File
	return leaf(&cli.Command{
		Name:      "export",
		Usage:     "write systems' outputs, settings and scores into a folder",
		ArgsUsage: "FILE FOLDER",
		Description: describe("FOLDER gets outputs/DATASET/SYSTEM.0.txt and so on, which the key datasets.NAME.outputs of an "+
			"experiment reads back; settings.toml, with every setting; scores.csv; and scores.md, which also says how "+
			"each number was computed. It has all systems that the experiment trained. sentences.csv has each test sentence with each output: let another program add columns of "+
			"scores and name the file in the key report.scores. FOLDER must be new or empty. Trains nothing.",
			"smlm-exp outputs export yelp.toml ../outputs", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&file),
		Action: action(func(_ context.Context, args []string) error {
			file.Path = args[0]
			return exportOutputs(e, file, args[1])
		}),
	})
}

func exportOutputs(e *env, file runs.File, dir string) error {
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
	n, err := found.WriteOutputs(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: outputs of %s\n", filepath.Clean(dir), wording.Count(n, "system"))
	return nil
}
