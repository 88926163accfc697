package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
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
		Usage:     "write the figures of an experiment, and one HTML page with its tables, figures and examples",
		ArgsUsage: "FILE",
		Description: describe("Trains nothing. Figures are written to WORKSPACE/figures/EXPERIMENT. The page needs no other "+
			"file and no network. It contains tables, figures, examples with the score of every word, settings, "+
			"signatures, and the command that makes it again. `run` writes them too.",
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
			return writeReport(e, s, found, o.output)
		}),
	})
}

// writeReport writes the figures to the workspace, and the page to path, or to the workspace if
// path is "". It prints where they are.
func writeReport(e *env, s *runs.Study, found *results.Results, path string) error {
	figures, err := found.Figures()
	if err != nil {
		return err
	}
	if len(figures) > 0 {
		if err := found.WriteFigures(figures); err != nil {
			return err
		}
		names := lists.Map(figures, func(f results.NamedFigure) string { return f.Name })
		fmt.Fprintf(e.stdout, "figures (%s) are in %s\n", strings.Join(names, ", "), s.Workspace.FiguresDir(s.Experiment.Name))
	}
	if path, err = found.WritePage(path); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "report is in %s\n", path)
	return nil
}
