package cli

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// figuresCommand is the command figures.
func figuresCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "figures",
		Usage:     "draw the figures of an experiment from what is on disk",
		ArgsUsage: "FILE",
		Description: describe("Trains nothing. Writes WORKSPACE/figures/EXPERIMENT/FIGURE.EXT; `run` does so too.",
			"smlm-exp figures experiments.toml --figure tradeoff --format pdf",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(
			&cli.StringSliceFlag{
				Name:  "format",
				Usage: "`FORMAT`: " + strings.Join(figure.Formats, ", ") + "; may be repeated (default: all)",
				Action: func(_ *cli.Context, formats []string) error {
					return Known("--format", figure.Formats, formats...)
				},
			},
			overFlag(),
			&cli.StringSliceFlag{
				Name:  "figure",
				Usage: "`NAME` of a figure; may be repeated (default: those of the file's report.figures)",
			},
		),
		Action: onStudy(func(c *cli.Context, s *Study) error {
			names := c.StringSlice("figure")
			if err := Known("--figure", s.Exp.Report.Figures, names...); err != nil {
				return err
			}
			found, err := e.Collect(s)
			if err != nil {
				return err
			}
			found.Force = c.Bool("force")
			return writeFigures(e, s, found, found.Figures(names...), c.StringSlice("format")...)
		}),
	})
}

// overFlag lets a command write over files that show more than is finished now.
func overFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", Usage: "write over what shows more finished points than there are now"}
}

// writeFigures writes figures to the workspace and says where.
func writeFigures(e *Env,
	s *Study, found *results.Results, figures []results.NamedFigure, formats ...string,
) error {
	if len(figures) == 0 {
		fmt.Fprintln(e.Stderr, "smlm-exp: there is nothing to draw: the stages have not run, "+
			"or no figure of report.figures fits the experiment (lambda_eps needs two values of it)")
		return nil
	}
	if err := found.WriteFigures(figures, formats...); err != nil {
		return err
	}
	names := lists.Map(figures, func(f results.NamedFigure) string { return f.Name })
	fmt.Fprintf(e.Stdout, "figures (%s) are in %s\n", strings.Join(names, ", "), s.WS.FiguresDir(s.Exp.Name))
	return nil
}
