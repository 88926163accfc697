package cli

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// reportOptions holds the flags of `report`.
type reportOptions struct {
	file   runs.File
	output string // path of the page; "" means in the workspace
}

func reportCommand(e *env) *cli.Command {
	o := &reportOptions{}
	return leaf(&cli.Command{
		Name:      "report",
		Usage:     "write one HTML page with the tables, figures and examples of an experiment",
		ArgsUsage: "FILE",
		Description: describe("Trains nothing. The page needs no other file and no network. It contains "+
			"tables with their LaTeX, figures, examples with the score of every word, settings, signatures, "+
			"and the command that makes it again. `run` writes it too.",
			"smlm-exp report experiments.toml --output report.html", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&o.file, &cli.StringFlag{
			Name: "output", Usage: "`FILE` to write", DefaultText: "WORKSPACE/reports/EXPERIMENT.html",
			Destination: &o.output,
		}),
		Action: e.onStudy(&o.file, func(ctx context.Context, s *runs.Study, _ []string) error {
			if err := notOver(o.output, s.Experiment.Path); err != nil {
				return err
			}
			found, err := s.Results()
			if err != nil {
				return err
			}
			if err := found.Test(ctx); err != nil {
				return err
			}
			tellMissing(e, found)
			return writePage(e, found, o.output)
		}),
	})
}

// writePage writes the page to path, or to the workspace if path is "", and prints where it is.
func writePage(e *env, found *results.Results, path string) error {
	path, err := found.WritePage(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "report is in %s\n", path)
	return nil
}
