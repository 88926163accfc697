package report

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// switchModels is the second table of Switches: within a data set the lines of one system stand
// together, so that its variants can be compared down a column.
func switchModels(lines, all []switchLine, about About) *table.Table {
	s := switchSheet("switches-transfer", "Settings changed one at a time: transfer results on the test set.", lines,
		all,
		merged("System", func(l *switchLine) string { return l.system }))
	for _, m := range metrics.ColumnsOf("tst", "s_bleu", "naturalness") {
		s.figures = append(s.figures, changedMetric(m))
	}
	s.figures = append(s.figures, column[switchLine]{
		Column: table.Column{Head: "commonest\nnew word", Align: table.Center}.Split("1", "1 difference", "2",
			"2 difference"),
		cell: func(l *switchLine) table.Cell {
			one := func(direction int) table.Cell {
				return l.compared(func(s *metrics.Scores) string {
					return table.Share(s.Directions[direction].CommonestNewWordShare)
				})
			}
			a, b := one(0), one(1)
			return table.Cell{Text: a.Text + " / " + b.Text, Parts: slices.Concat(a.Parts, b.Parts)}
		},
	})
	s.apart = func(before, l *switchLine) bool { return before.Dataset != l.Dataset || before.system != l.system }
	s.legend, s.signatures = []string{differenceLegend}, about.of("tst", "s_bleu", "naturalness", "collapse_share")
	return s.table(lines, append(about.notes(), "Commonest new word, per direction: its share among all new-word "+
		"occurrences; new: in the output and not in its source. A share near 1 means one word everywhere.")...)
}

// modelLines are the lines of the second table.
func modelLines(all []switchLine) []switchLine {
	var lines []switchLine
	for _, l := range all {
		for _, m := range l.Models {
			line := l
			line.system, line.scores = m.System, m.Metrics
			if l.base != nil {
				line.then = l.base.scoresOf(m.System)
			}
			lines = append(lines, line)
		}
	}
	return sorted(lines, seen(lines, func(l *switchLine) string { return l.Dataset }),
		seen(lines, func(l *switchLine) [2]string { return [2]string{l.Dataset, l.system} }))
}

// scoresOf returns what a system scores, nil where the variant has none of it.
func (r *SwitchRow) scoresOf(system string) *metrics.Scores {
	for _, m := range r.Models {
		if m.System == system {
			return m.Metrics
		}
	}
	return nil
}

// changedMetric is a metric with its difference to the first variant.
func changedMetric(m *metrics.Metric) column[switchLine] {
	return comparedColumn(m.Head, func(l *switchLine) table.Cell {
		return l.compared(func(s *metrics.Scores) string { return metricText(m, s.Metrics) })
	})
}

// compared is what a line says of its scores, beside the base's where that has some.
func (l *switchLine) compared(text func(*metrics.Scores) string) table.Cell {
	own := text(l.scores)
	if l.then == nil {
		return table.Cell{Text: own, Parts: []string{own, ""}}
	}
	return table.ComparedCell(own, text(l.then))
}
