package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// figuresOptions holds the flags of `figures`.
type figuresOptions struct {
	file    runs.File
	formats []string // empty means all
	names   []string // names of figures; empty means the figures that the file names
}

func figuresCommand(e *env) *cli.Command {
	o := &figuresOptions{}
	return leaf(&cli.Command{
		Name:      "figures",
		Usage:     "draw the figures of an experiment from finished stages",
		ArgsUsage: "FILE",
		Description: describe("Trains nothing. Writes WORKSPACE/figures/EXPERIMENT/FIGURE.EXT. `run` draws "+
			"them too.",
			"smlm-exp figures experiments.toml --figure tradeoff --format pdf",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&o.file,
			&cli.StringSliceFlag{
				Name:  "format",
				Usage: "`FORMAT`: " + strings.Join(figure.Formats, ", ") + "; may be repeated (default: all)",
				Action: func(_ *cli.Context, formats []string) error {
					o.formats = formats
					return known("--format", figure.Formats, formats...)
				},
			},
			&cli.StringSliceFlag{
				Name: "figure", Action: into(&o.names),
				Usage: "`NAME` of a figure; may be repeated (default: those of the file's report.figures)",
			},
		),
		Action: e.onStudy(&o.file, func(_ context.Context, s *runs.Study, _ []string) error {
			if err := inReport("figure", s.Experiment.Report.Figures, experiment.Figures, o.names); err != nil {
				return err
			}
			found, err := s.Results()
			if err != nil {
				return err
			}
			figures, err := found.Figures(o.names...)
			if err != nil {
				return err
			}
			return writeFigures(e, s, found, figures, o.formats...)
		}),
	})
}

// writeFigures writes figures to the workspace and prints the folder.
func writeFigures(
	e *env, s *runs.Study, found *results.Results, figures []results.NamedFigure, formats ...string,
) error {
	if len(figures) == 0 {
		fmt.Fprintln(e.stderr, "smlm-exp: there is nothing to draw: the stages have not run, or no figure of "+
			"report.figures fits the experiment (the figure lambda_eps needs two values of lambda_eps)")
		return nil
	}
	if err := found.WriteFigures(figures, formats...); err != nil {
		return err
	}
	names := lists.Map(figures, func(f results.NamedFigure) string { return f.Name })
	fmt.Fprintf(e.stdout, "figures (%s) are in %s\n", strings.Join(names, ", "), s.Workspace.FiguresDir(s.Experiment.Name))
	return nil
}
