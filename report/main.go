package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// namingAxes are the axes that are part of a system's name in the main table and in figures; others
// make points of one system.
var namingAxes = []string{"masking", "decoding"}

// SystemOf names a row without its seed and its point of the sweep: "SMLM, guided".
func SystemOf(row *ResultRow) string {
	parts := []string{row.System}
	for _, a := range row.Axes {
		if slices.Contains(namingAxes, a.Key) {
			parts = append(parts, a.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// Main is the table of transfer results as a paper prints it: a row a system, the mean over seeds
// with its deviation, the paper's metrics alone, and below a line of each data set what the paper
// prints of the same systems. Of a sweep the caller passes the point that stands for a system;
// chosen says that dev outputs chose it. Rows are ranked as in Results, and the paper's are not.
func Main(rows []ResultRow, chosen bool, about About) *table.Table {
	rows = named(rows)
	s := systemSheet("main", "Main results on the test set", seedGroups(rows),
		func(g *seedGroup) *ResultRow { return &g.ResultRow })
	s.paper, s.all = "results", func(g *seedGroup) []*ResultRow { return g.seeds }
	s.noted = rows
	absent := s.metrics(inGroup(metrics.GroupResults), overSeeds)
	seeds := 1
	for _, g := range s.rows {
		seeds = max(seeds, len(g.seeds))
	}
	if seeds > 1 {
		for j := range s.figures {
			s.figures[j].Column = s.figures[j].Split("", "deviation")
		}
		s.legend = append(s.legend, fmt.Sprintf("Mean ± standard deviation over %d seeds.", seeds))
	}
	s.figures = append(s.figures, mostNewWord(func(g *seedGroup) []*ResultRow { return g.seeds }))
	if seeds > 1 {
		s.legend = append(s.legend, "Commonest new word: the largest share of the seeds.")
	}
	if chosen {
		s.legend = append(s.legend, "Of a sweep each system has the point whose dev outputs have the highest Mean.")
	}
	s.signatures = about.of(s.keys()...)
	return paper.Below(s.table(about.without(absent)...))
}

// named gives systems the names that tell them apart, and leaves out settings in which all rows
// that have them agree.
func named(rows []ResultRow) []ResultRow {
	rows = slices.Clone(rows)
	values := map[string]map[string]bool{}
	for _, r := range rows {
		for _, a := range r.Axes {
			if values[a.Key] == nil {
				values[a.Key] = map[string]bool{}
			}
			values[a.Key][a.Value] = true
		}
	}
	for i := range rows {
		var more []string
		var axes []Axis
		for _, a := range rows[i].Axes {
			switch {
			case slices.Contains(namingAxes, a.Key):
				more = append(more, answer(a.Value))
			case len(values[a.Key]) > 1:
				axes = append(axes, a)
			}
		}
		rows[i].Axes = axes
		if len(more) > 0 {
			rows[i].System += " (" + strings.Join(more, ", ") + ")"
		}
	}
	return rows
}
