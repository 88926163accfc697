package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

func (e *env) tablesCommand() *cli.Command {
	return leaf(&cli.Command{
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
		Action: onStudy(func(c *cli.Context, s *study) error {
			s.exp.Report.Paper = s.exp.Report.Paper || c.Bool("paper")
			tables, err := e.findTables(c.Context, s, c.StringSlice("table"))
			if err != nil {
				return err
			}
			if c.String("into") != "" {
				return writeInto(c, s, tables)
			}
			return table.WriteAll(e.stdout, c.String("format"), tables)
		}),
	})
}

// tableFormatFlag is of every command that prints tables.
func tableFormatFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "format", Usage: "`FORMAT`: " + strings.Join(table.Formats, ", "), Value: "text",
		Action: func(_ *cli.Context, format string) error { return known("--format", table.Formats, format) },
	}
}

// findTables returns the wanted tables, all of the experiment's where names is empty.
func (e *env) findTables(ctx context.Context, s *study, names []string) ([]*table.Table, error) {
	for _, name := range names {
		if !slices.Contains(s.exp.Report.Tables, name) && slices.Contains(experiment.Tables, name) {
			return nil, userr.New(userr.BadInput, "--table %s is not among the experiment's report.tables: "+
				"add it there, or --set \"report.tables=['%s']\"", name, name)
		}
	}
	if err := known("--table", s.exp.Report.Tables, names...); err != nil {
		return nil, err
	}
	found, err := e.collect(s)
	if err != nil {
		return nil, err
	}
	if found.Missing > 0 {
		fmt.Fprintf(e.stderr, "smlm-exp: %d of the %d points are not run yet; `smlm-exp plan` lists what is missing\n",
			found.Missing, len(s.plan.Points))
	}
	if found.Unscored > 0 {
		fmt.Fprintf(e.stderr, "smlm-exp: %d of the %d published systems and human references are not scored yet\n",
			found.Unscored, len(s.plan.Published))
	}
	if len(names) == 0 || slices.Contains(names, "significance") {
		if err := found.Test(ctx); err != nil {
			return nil, err
		}
	}
	tables := found.Tables(names...)
	if len(tables) == 0 && found.Missing+found.Unscored == 0 {
		fmt.Fprintln(e.stderr, "smlm-exp: the tables have no row: nothing of the experiment belongs in them")
	}
	return tables, nil
}

// writeTables writes the tables to the workspace and prints the results and where the others lie.
func (e *env) writeTables(s *study, found *results.Results) error {
	tables := found.Tables()
	if len(tables) == 0 {
		return nil
	}
	if err := found.WriteTables(s.plan, s.ws, tables); err != nil {
		return err
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
		if t.Name == "results" {
			if err := t.Write(e.stdout, "text"); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(e.stdout, "tables (%s) are in %s as LaTeX, Markdown, CSV and HTML\n",
		strings.Join(names, ", "), s.ws.TablesDir(s.exp.Name))
	return nil
}
