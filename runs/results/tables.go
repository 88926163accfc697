package results

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TableFormats are those that WriteTables writes when none are named.
var TableFormats = []string{"latex", "markdown", "csv", "html"}

// Tables builds the tables that the experiment asks for, in its order: those named, or all. A table without a single row is left out;
// switches are two tables. That of significance has the rows of Test.
func (r *Results) Tables(only ...string) []*table.Table {
	base := r.About
	base.Signatures = nil
	examples := base
	examples.Notes = append(slices.Clone(base.Notes), r.exampleNote...)
	var out []*table.Table
	for _, name := range r.wanted {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		var made []*table.Table
		switch name {
		case "results":
			made = one(report.Results(r.Results, r.About))
		case "content":
			made = one(report.Content(r.Results, r.About))
		case "bleu":
			made = one(report.BLEU(r.Results, r.About))
		case "seeds":
			if len(r.About.Seeds) > 1 {
				made = one(report.SeedMeans(r.Results, r.About))
			}
		case "intervals":
			made = one(report.Intervals(r.Intervals, r.About))
		case "significance":
			made = one(report.Significance(r.Significance, r.About))
		case "datasets":
			made = one(report.Datasets(r.Datasets, report.About{}))
		case "classifier":
			made = one(report.Classifier(r.Classifier, base))
		case "divlstm":
			made = one(report.DivLSTM(r.DivLSTM, base))
		case "attribution":
			made = one(report.Attribution(r.Masking, base))
		case "training":
			made = one(report.Training(r.Training, base))
		case "switches":
			made = report.Switches(r.Switches, r.About)
		case "human":
			made = one(report.Human(r.Human, base))
		case "examples":
			made = one(report.Examples(r.Examples, examples))
		}
		for _, t := range made {
			if t == nil || len(t.Rows) == 0 {
				continue
			}
			if r.withPaper {
				t = paper.Beside(t)
			}
			out = append(out, t)
		}
	}
	return out
}

func one(t *table.Table) []*table.Table { return []*table.Table{t} }

// WriteTables writes each table as workspace/tables/EXPERIMENT/TABLE.EXT in each of the formats of package report (none: TableFormats).
func WriteTables(p *plan.Plan, ws *workspace.Workspace, tables []*table.Table, formats ...string) error {
	if len(formats) == 0 {
		formats = TableFormats
	}
	if err := ws.Create(); err != nil {
		return err
	}
	dir := ws.TablesDir(p.Experiment.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return ws.Explain(err, "writing tables to")
	}
	for _, t := range tables {
		for _, format := range formats {
			path := filepath.Join(dir, t.Name+table.Extension(format))
			if err := atomicfile.Update(path, func(w io.Writer) error { return t.Write(w, format) }); err != nil {
				return ws.Explain(err, "writing tables to")
			}
		}
	}
	return nil
}

// readText returns the lines of a file.
func readText(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, fmt.Errorf("%q is empty", path)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}
