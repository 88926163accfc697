package cli

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// reportCommand is the command report.
func reportCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "report",
		Usage:     "write one HTML page with the tables, figures and examples of an experiment",
		ArgsUsage: "FILE",
		Description: describe("Trains nothing. The page needs no other file and no network: tables with their LaTeX, "+
			"figures, examples with the score of every word,\n"+
			"settings, signatures, and the command that makes it again. `run` writes it too.",
			"smlm-exp report experiments.toml --output report.html", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&cli.StringFlag{
			Name: "output", Usage: "`FILE` to write", DefaultText: "WORKSPACE/reports/EXPERIMENT.html",
		}, overFlag()),
		Action: onStudy(func(c *cli.Context, s *Study) error {
			if err := notOver("--output", c.String("output"), s.Exp.Path); err != nil {
				return err
			}
			found, err := e.Collect(s)
			if err != nil {
				return err
			}
			if err := found.Test(c.Context); err != nil {
				return err
			}
			tellMissing(e, s, found)
			found.Force = c.Bool("force")
			return writePage(e, found, c.String("output"))
		}),
	})
}

// writePage writes the page to path, or to the workspace where it is "", and says where.
func writePage(e *Env, found *results.Results, path string) error {
	path, err := found.WritePage(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "report is in %s\n", path)
	return nil
}
