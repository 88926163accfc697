package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// tablesOptions holds the flags of `tables`.
type tablesOptions struct {
	file   runs.File
	format string
	names  []string // names of tables; empty means the tables that the file names
}

func tablesCommand(e *env) *cli.Command {
	o := &tablesOptions{}
	return leaf(&cli.Command{
		Name:      "tables",
		Usage:     "print the tables of an experiment from finished stages",
		ArgsUsage: "FILE",
		Description: describe("Trains nothing. Rows whose stages have not run are missing; a line on standard "+
			"error says how many. --set report.paper=true shows the paper's printed values below each row that is "+
			"in the paper.",
			"smlm-exp tables experiments.toml --table results --format latex",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&o.file,
			tableFormatFlag(&o.format),
			&cli.StringSliceFlag{
				Name: "table", Action: into(&o.names),
				Usage: "`NAME` of a table; may be repeated (default: those in the file's report.tables)",
			},
		),
		Action: e.onStudy(&o.file, func(ctx context.Context, s *runs.Study, _ []string) error {
			return printTables(ctx, e, s, o)
		}),
	})
}

func printTables(ctx context.Context, e *env, s *runs.Study, o *tablesOptions) error {
	tables, err := findTables(ctx, e, s, o.names)
	if err != nil {
		return err
	}
	return table.WriteAll(e.data(), o.format, tables)
}

// inReport checks the names that the user gave with --table. asked lists the tables that the
// experiment file names.
func inReport(asked, names []string) error {
	for _, name := range names {
		if !slices.Contains(asked, name) && slices.Contains(experiment.Tables, name) {
			return userr.New(userr.BadInput, "--table %s is not in the experiment's report.tables: add "+
				`it there, or give --set "report.tables=['%s']"`, name, name)
		}
	}
	return known("--table", asked, names...)
}

// findTables returns the named tables, or all tables of the experiment if names is empty.
func findTables(ctx context.Context, e *env, s *runs.Study, names []string) ([]*table.Table, error) {
	if err := inReport(s.Experiment.Report.Tables, names); err != nil {
		return nil, err
	}
	found, err := s.Results()
	if err != nil {
		return nil, err
	}
	tellMissing(e, found)
	if len(names) == 0 || slices.Contains(names, "significance") {
		if err := found.Test(ctx); err != nil {
			return nil, err
		}
	}
	tables := found.Tables(names...)
	if len(tables) == 0 && len(found.Lacking()) == 0 {
		if len(names) == 0 {
			names = s.Experiment.Report.Tables
		}
		for _, name := range names {
			fmt.Fprintf(e.stderr, "smlm-exp: the table %s has no row. %s\n", name, found.WhyEmpty(name))
		}
	}
	return tables, nil
}

// tellMissing prints on standard error what is still missing in the tables.
func tellMissing(e *env, found *results.Results) {
	for _, sentence := range found.Lacking() {
		fmt.Fprintf(e.stderr, "smlm-exp: %s\n", sentence)
	}
}

// writeTables writes all tables to the workspace, prints one of them, and says where the others
// are. It prints the table "main", which fits on a screen, or else the table "results".
func writeTables(e *env, s *runs.Study, found *results.Results) error {
	tables := found.Tables()
	if len(tables) == 0 {
		return nil
	}
	if err := found.WriteTables(tables); err != nil {
		return err
	}
	names := lists.Map(tables, func(t *table.Table) string { return t.Name })
	shown := "main"
	if !slices.Contains(names, shown) {
		shown = "results"
	}
	i := slices.Index(names, shown)
	if i >= 0 {
		if err := tables[i].Screen(e.stdout); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.stdout, "tables (LaTeX, Markdown, CSV, HTML) are in %s\n", s.Workspace.TablesDir(s.Experiment.Name))
	if i >= 0 {
		fmt.Fprintf(e.stdout, "how each number was computed: %s.md in that folder\n", shown)
	}
	return nil
}

// writeAll writes the tables, the figures and the page from the finished stages, and prints example
// sentences.
func writeAll(ctx context.Context, e *env, s *runs.Study) error {
	found, err := s.Results()
	if err != nil {
		return err
	}
	if err := found.Test(ctx); err != nil {
		return err
	}
	if err := writeTables(e, s, found); err != nil {
		return err
	}
	writeSentences(e, found)
	return writeReport(e, s, found, "")
}
