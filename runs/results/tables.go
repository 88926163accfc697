package results

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// tableFormats are the formats that WriteTables writes.
var tableFormats = []string{"latex", "markdown", "csv", "html"}

// Tables builds the tables that the experiment asks for, in its order: those named, or all. It
// leaves out tables without rows. The table significance has the rows of Test.
func (r *Results) Tables(only ...string) []*table.Table {
	build := map[string]func(report.About) *table.Table{
		"main": func(a report.About) *table.Table {
			rows := r.standing()
			return report.Main(rows, len(rows) < len(r.Results), a)
		},
		"results":      tableOf(report.Results, r.Results),
		"directions":   tableOf(report.Directions, r.standing()),
		"matrix":       tableOf(report.Matrix, r.standing()),
		"selection":    tableOf(report.Selection, r.Selection),
		"content":      tableOf(report.Content, r.Results),
		"bleu":         tableOf(report.BLEU, r.Results),
		"seeds":        tableOf(report.SeedMeans, r.Results),
		"intervals":    tableOf(report.Intervals, r.Intervals),
		"significance": tableOf(report.Significance, r.Significance),
		"datasets":     func(report.About) *table.Table { return report.Datasets(r.Datasets, report.About{}) },
		"classifier":   tableOf(report.Classifier, r.Classifier),
		"divlstm":      tableOf(report.DivLSTM, r.DivLSTM),
		"attribution":  tableOf(report.Attribution, r.Masking),
		"training":     tableOf(report.Training, r.Training),
		"examples": func(a report.About) *table.Table {
			t := report.Examples(r.Examples, a)
			t.Legend = append(t.Legend, r.exampleRules...)
			return t
		},
	}
	var out []*table.Table
	for _, name := range r.plan.Experiment.Report.Tables {
		if len(only) > 0 && !slices.Contains(only, name) || name == "seeds" && len(r.About.Seeds) < 2 {
			continue
		}
		t := build[name](r.aboutOf(name))
		if len(t.Rows) == 0 {
			continue
		}
		if r.plan.Experiment.Report.Paper {
			t = paper.Beside(t)
		}
		t.Study = r.plan.Experiment.Name
		out = append(out, t)
	}
	return out
}

// tableOf returns a function that builds a table from rows.
func tableOf[R any](build func([]R, report.About) *table.Table, rows []R) func(report.About) *table.Table {
	return func(a report.About) *table.Table { return build(rows, a) }
}

// standing returns the rows of the chosen point of each system, and of published systems. If it
// leaves out some points, the systems are in the order of their first point.
func (r *Results) standing() (rows []report.ResultRow) {
	order, nameOf := map[string]int{}, func(row *report.ResultRow) string {
		return row.Dataset + "|" + report.SystemOf(row)
	}
	for i := range r.Results {
		row := &r.Results[i]
		if _, known := order[nameOf(row)]; !known {
			order[nameOf(row)] = i
		}
		if row.Published || r.chosen.Shows(r.scores[i]) {
			rows = append(rows, *row)
		}
	}
	if len(rows) < len(r.Results) {
		slices.SortStableFunc(rows, func(a, b report.ResultRow) int { return order[nameOf(&a)] - order[nameOf(&b)] })
	}
	return rows
}

// WriteTables writes each table as workspace/tables/EXPERIMENT/TABLE.EXT in each of tableFormats.
// It also writes appendix.tex with the notes and signatures that LaTeX tables leave out.
func (r *Results) WriteTables(tables []*table.Table) error {
	dir := r.ws.TablesDir(r.plan.Experiment.Name)
	return writeFiles(r.ws, dir, "tables", func(write writeFile) error {
		err := write("appendix.tex", func(w io.Writer) error { return table.WriteAll(w, "latex-appendix", tables) })
		if err != nil {
			return err
		}
		for _, t := range tables {
			for _, format := range tableFormats {
				err := write(t.Name+table.Extension(format), func(w io.Writer) error { return t.Write(w, format) })
				if err != nil {
					return err
				}
			}
		}
		return r.writeTests(write)
	})
}

// writeFile writes one file of a folder atomically. It does not touch a file that has the same
// content.
type writeFile func(name string, content func(io.Writer) error) error

// writeFiles creates a folder of the workspace and calls write to write its files. what names them
// in error messages.
func writeFiles(ws *workspace.Workspace, dir, what string, write func(writeFile) error) error {
	if err := ws.Create(); err != nil {
		return err
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = write(func(name string, content func(io.Writer) error) error {
			return files.Update(filepath.Join(dir, name), content)
		})
	}
	if err != nil {
		return ws.Explain(err, "writing "+what+" to")
	}
	return nil
}
