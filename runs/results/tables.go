package results

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// tableFormats are the formats that WriteTables writes.
var tableFormats = []string{"latex", "markdown", "csv", "html"}

// Tables builds the named tables, or all if no name is given. It builds only tables that the
// experiment asks for, in the experiment's order, and leaves out tables without rows. The rows of
// the table "significance" are those that Test has computed.
func (r *Results) Tables(only ...string) []*table.Table {
	var out []*table.Table
	for _, name := range r.plan.Experiment.Report.Tables {
		if len(only) > 0 && !slices.Contains(only, name) || name == "seeds" && len(r.About.Seeds) < 2 {
			continue
		}
		t := r.table(name)
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

// WhyEmpty says why a table that the experiment asks for has no row, although all stages are
// finished.
func (r *Results) WhyEmpty(table string) string {
	own := lists.Filter(r.notes, func(n note) bool { return slices.Equal(n.tables, []string{table}) })
	switch {
	case len(own) > 0:
		return strings.Join(lists.Map(own, func(n note) string { return n.text }), " ")
	case table == "seeds":
		return "It compares seeds, and the experiment has one."
	case table == "tuning":
		return `No setting is "auto".`
	}
	return "Nothing in the experiment belongs in it."
}

// table builds one table.
func (r *Results) table(name string) *table.Table {
	about, records := r.aboutOf(name), r.Records
	switch name {
	case "significance":
		return report.Significance(r.Significance, about)
	case "examples":
		return report.Examples(r.Examples, about)
	case "datasets": // this table does not depend on how models were trained
		about = report.About{}
	case "main":
		var left bool
		if records, left = r.chosenRecords(); left {
			about.Legend = []string{chosenText(records)}
		}
	}
	if slices.Contains([]string{"main", "results", "seeds"}, name) {
		about.Legend = slices.Concat(about.Legend, r.chosenLegend(), r.partial())
	}
	return report.Build(name, records, about)
}

// chosenText says at which sweep point each of our systems is shown. It names the systems that are
// shown at several points, because none was chosen.
func chosenText(shown []*report.Record) string {
	points := map[string]int{}
	var all []string
	for _, seeds := range report.Over(report.Seed, shown) {
		name := seeds[0].SystemName()
		key := seeds[0].Dataset() + "|" + name
		if points[key]++; points[key] == 2 {
			all = lists.AddOnce(all, name)
		}
	}
	text := "Each of our systems is shown at the sweep point with the highest dev Mean"
	if len(all) > 0 {
		text += ", but at all points if no point is ranked on the dev set: " + strings.Join(all, ", ")
	}
	return text + "."
}

// chosenLegend returns sentences that name, for each data set, our system with the highest Mean on
// the dev set. It leaves out data sets with only one system of ours.
func (r *Results) chosenLegend() (sentences []string) {
	for _, dataset := range r.datasetsShown() {
		ours := lists.Filter(r.of(dataset), func(s *System) bool { return s.Kind == report.Ours })
		if best := r.chosenOnDev(dataset); len(best) > 0 && len(seedGroups(ours)) > 1 {
			sentences = append(sentences, fmt.Sprintf("Of our systems on %s, %s has the highest Mean on the dev set.",
				dataset, r.title(best)))
		}
	}
	return sentences
}

// chosenRecords returns the record of each trained system at its chosen point, and the records of
// published systems. The result "left" is true if chosenRecords leaves out other records. In that
// case the systems are in the order of their first points.
func (r *Results) chosenRecords() (records []*report.Record, left bool) {
	of := func(s *report.Record) string { return s.Dataset() + "|" + s.SystemName() }
	order := lists.AddOnce(nil, lists.Map(r.Systems, func(s *System) string { return of(s.Record) })...)
	for _, s := range r.Systems {
		if s.Kind != report.Ours || r.chosen.Shows(s.score) {
			records = append(records, s.Record)
		}
	}
	if len(records) == len(r.Systems) {
		return records, false
	}
	slices.SortStableFunc(records, func(a, b *report.Record) int {
		return slices.Index(order, of(a)) - slices.Index(order, of(b))
	})
	return records, true
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
		return nil
	})
}

// writeFile writes one file of a folder atomically. It does not touch a file that has the same
// content.
type writeFile func(name string, content func(io.Writer) error) error

// writeFiles creates a folder of the workspace and calls the function write, which writes the files
// in this folder. The parameter "what" names these files in error messages.
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
