// Package show has the commands that print and draw what a workspace holds: tables, figures, the
// page, and tests of two systems. They train nothing.
package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// tablesCommand is the command tables.
func tablesCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "tables",
		Usage:     "print the tables of an experiment from what is on disk",
		ArgsUsage: "FILE",
		Description: describe("Trains nothing. Rows whose stages have not run are missing; "+
			"a line on standard error counts them.",
			"smlm-exp tables experiments.toml --table results --format latex",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(
			tableFormatFlag(),
			&cli.BoolFlag{
				Name:  "paper",
				Usage: "the paper's printed values and the difference under each row that the paper has",
			},
			&cli.StringSliceFlag{
				Name:  "table",
				Usage: "`NAME` of a table; may be repeated (default: those of the file's report.tables)",
			},
			intoFlag(),
		),
		Action: onStudy(func(c *cli.Context, s *Study) error {
			if c.Bool("paper") && !s.Exp.Report.Paper { // as a key, so that a document's command has it
				s.Exp.Report.Paper, s.Exp.Set = true, append(s.Exp.Set, "report.paper=true")
			}
			tables, err := findTables(c.Context, e, s, c.StringSlice("table"))
			if err != nil {
				return err
			}
			if c.String("into") != "" {
				if len(c.StringSlice("table")) == 0 {
					tables = withoutExamples(e, tables)
				}
				return writeInto(c, s, tables)
			}
			return table.WriteAll(e.Stdout, c.String("format"), tables)
		}),
	})
}

// findTables returns the wanted tables, all of the experiment's where names is empty.
func findTables(ctx context.Context, e *Env, s *Study, names []string) ([]*table.Table, error) {
	for _, name := range names {
		if !slices.Contains(s.Exp.Report.Tables, name) && slices.Contains(experiment.Tables, name) {
			return nil, userr.New(userr.BadInput, "--table %s is not among the experiment's report.tables: "+
				"add it there, or --set \"report.tables=['%s']\"", name, name)
		}
	}
	if err := Known("--table", s.Exp.Report.Tables, names...); err != nil {
		return nil, err
	}
	found, err := e.Collect(s)
	if err != nil {
		return nil, err
	}
	tellMissing(e, s, found)
	if len(names) == 0 || slices.Contains(names, "significance") {
		if err := found.Test(ctx); err != nil {
			return nil, err
		}
	}
	tables := found.Tables(names...)
	if len(tables) == 0 && found.Missing+found.Unscored == 0 {
		fmt.Fprintln(e.Stderr, "smlm-exp: the tables have no row: nothing of the experiment belongs in them")
	}
	return tables, nil
}

// tellMissing says on standard error what will have rows and has none yet.
func tellMissing(e *Env, s *Study, found *results.Results) {
	if found.Missing > 0 {
		fmt.Fprintf(e.Stderr, "smlm-exp: %s not run yet; `smlm-exp plan` lists what is missing\n",
			wording.OfThe(found.Missing, len(s.Plan.Points), "point"))
	}
	if found.Unscored > 0 {
		fmt.Fprintf(e.Stderr, "smlm-exp: published systems and human references that are not scored yet: %d of %d\n",
			found.Unscored, len(s.Plan.Published))
	}
}

// writeTables writes the tables to the workspace and prints one and where the others lie: results,
// or main where dev outputs say which point of a sweep is a system's, so that it fits on a screen.
func writeTables(e *Env, s *Study, found *results.Results) error {
	tables := found.Tables()
	if len(tables) == 0 {
		return nil
	}
	if err := found.WriteTables(tables); err != nil {
		return err
	}
	names := lists.Map(tables, func(t *table.Table) string { return t.Name })
	shown := "results"
	if slices.Contains(names, "main") && slices.Contains(names, "selection") {
		shown = "main"
	}
	if i := slices.Index(names, shown); i >= 0 {
		if err := tables[i].Write(e.Stdout, "text"); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.Stdout, "tables (%s) are in %s as LaTeX, Markdown, CSV and HTML\n",
		strings.Join(names, ", "), s.WS.TablesDir(s.Exp.Name))
	return nil
}
