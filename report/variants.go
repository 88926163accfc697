package report

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// SwitchRow is one variant of the settings on one data set: a profile, or the first one with a
// switch changed.
type SwitchRow struct {
	Dataset, Variant string
	Changes          string        // what it sets differently from the first, as in the file; "" for the first
	Method           policy.Method // which words are masked; rows of one method are compared with each other
	Seed             uint64
	SameMasks        bool // the masks are the first variant's own: no line in the table of masks
	// of the Diversity-LSTM, percent and Loss_con; not a number where there is none, as in all of
	// these
	DevAccuracy, Conicity float64
	MaskedShare           float64       // of words of the test split, 0-1
	Accuracy, SBLEU       float64       // percent, of the masked test split
	Models                []SwitchModel // the systems trained, in the order of the table
}

// SwitchModel is what one system scores.
type SwitchModel struct {
	System  string
	Metrics *metrics.Scores
}

// differenceLegend says what stands in parentheses.
const differenceLegend = "In parentheses: the difference from the first variant of the data set, with the same method and " +
	"seed, of the numbers as printed; =: no difference."

// switchLine is a line of either table.
type switchLine struct {
	*SwitchRow
	base         *SwitchRow // the first of its data set, method and seed; nil: it is that itself
	system       string     // of the second table, with its scores and those of the base, nil where it has none
	scores, then *metrics.Scores
}

// Switches is the effect of settings changed one at a time: a table of what the Diversity-LSTM
// learns and its masks hide, one line a variant, and, where any row has models, a second table of
// what they score, one line a variant and system. The two are too wide for one page. Rows of a data
// set and of a method stand together, the variant that the others are compared with first.
func Switches(rows []SwitchRow, about About) []*table.Table {
	rows = sorted(rows, seen(rows, func(r *SwitchRow) string { return r.Dataset }),
		seen(rows, func(r *SwitchRow) [2]string { return [2]string{r.Dataset, string(r.Method)} }))
	lines := make([]switchLine, len(rows))
	for i := range rows {
		lines[i].SwitchRow = &rows[i]
		first := slices.IndexFunc(rows, func(r SwitchRow) bool {
			return r.Dataset == rows[i].Dataset && r.Method == rows[i].Method && r.Seed == rows[i].Seed
		})
		if first < i {
			lines[i].base = &rows[first]
		}
	}
	out := []*table.Table{switchMasks(lines, about)}
	if models := modelLines(lines); len(models) > 0 {
		out = append(out, switchModels(models, lines, about))
	}
	return out
}

// switchMasks is the first of the tables.
func switchMasks(lines []switchLine, about About) *table.Table {
	s := switchSheet("switches", "Effect of single settings on the Diversity-LSTM and its masks.", lines, lines)
	conicity := changedColumn("Loss_con", 2, func(r *SwitchRow) float64 { return r.Conicity })
	conicity.Key = "conicity"
	s.numbers = append(s.numbers,
		changedColumn("Diversity-LSTM\ndev Acc.%", 1, func(r *SwitchRow) float64 { return r.DevAccuracy }),
		conicity,
		changedColumn("masked\nwords %", 1, func(r *SwitchRow) float64 { return 100 * r.MaskedShare }),
		changedColumn("masked\nAcc.%", 1, func(r *SwitchRow) float64 { return r.Accuracy }),
		changedColumn("masked\ns-BLEU", 1, func(r *SwitchRow) float64 { return r.SBLEU }),
	)
	s.apart = func(before, l *switchLine) bool { return before.Dataset != l.Dataset || before.Method != l.Method }
	shown := lists.Where(lines, func(l switchLine) bool { return !l.SameMasks })
	s.legend, s.signatures, s.about = []string{differenceLegend}, about.of("s_bleu"), about
	s.defines = []string{conicityNote, "masked words %, masked Acc.%, masked s-BLEU: of the masked test sentences. " +
		"Acc.% is the accuracy of the evaluation classifier; lower means that less of the style is left."}
	return s.table(shown)
}

// switchSheet begins one of the tables: its first columns. The method and the seed have columns
// where all differ in them.
func switchSheet(name, title string, methods, seeds []switchLine, system ...column[switchLine]) sheet[switchLine] {
	s := sheet[switchLine]{name: name, title: title, dataset: func(l *switchLine) string { return l.Dataset }}
	changes := left("Changed settings", func(l *switchLine) string { return l.Changes })
	changes.Width = 4.6
	s.labels = slices.Concat(
		[]column[switchLine]{datasetColumn(s.dataset)},
		system,
		when(
			anyOf(methods, func(l *switchLine) bool { return l.Method != methods[0].Method }),
			merged("Method", func(l *switchLine) string { return methodName(l.Method) }),
		),
		[]column[switchLine]{left("Variant", func(l *switchLine) string { return l.Variant }), changes},
		seedColumn(seeds, func(l *switchLine) uint64 { return l.Seed }, func(*switchLine) bool { return true }),
	)
	return s
}

// comparedColumn is a column of cells of table.ComparedCell.
func comparedColumn(head string, cell func(*switchLine) table.Cell) column[switchLine] {
	return fields(head, cell, "", "difference")
}

// changedColumn is a number with its difference to the first variant.
func changedColumn(head string, decimals int, of func(*SwitchRow) float64) column[switchLine] {
	return comparedColumn(head, func(l *switchLine) table.Cell {
		text := table.Decimals(of(l.SwitchRow), decimals)
		if l.base == nil {
			return table.Cell{Text: text}
		}
		return table.ComparedCell(text, table.Decimals(of(l.base), decimals))
	})
}

// switchModels is the second table of Switches: within a data set the lines of one system stand
// together, so that its variants can be compared down a column.
func switchModels(lines, all []switchLine, about About) *table.Table {
	s := switchSheet("switches-transfer", "Effect of single settings on the transfer results.", lines,
		all,
		merged(systemHead, func(l *switchLine) string { return l.system }))
	for _, m := range metrics.ColumnsOf("tst", "s_bleu", "naturalness") {
		s.numbers = append(s.numbers, changedMetric(m))
	}
	s.numbers = append(s.numbers, column[switchLine]{
		Column: table.Column{Head: newWordHead, Align: table.Center}.Split(directionEndings(
			mostDirections(lines, func(l *switchLine) *metrics.Scores { return l.scores }), "", "difference")...),
		cell: func(l *switchLine) table.Cell {
			var texts, parts []string
			for k := range l.scores.Directions {
				one := l.compared(func(s *metrics.Scores) string { return newWordShare(&s.Directions[k]) })
				texts, parts = append(texts, one.Text), append(parts, one.Parts...)
			}
			return table.Cell{Text: strings.Join(texts, besideEachOther), Parts: parts}
		},
	})
	s.apart = func(before, l *switchLine) bool { return before.Dataset != l.Dataset || before.system != l.system }
	s.legend, s.signatures = []string{differenceLegend}, about.of("tst", "s_bleu", "naturalness", "collapse_share")
	flaws := lists.Where(metrics.AllFlaws(), func(f *metrics.Flaw) bool {
		return anyOf(lines, func(l *switchLine) bool { return l.scores.Has(f) })
	})
	s.legend = append(s.legend, flawLegend(flaws, "")...)
	s.about, s.defines = about, []string{newWordDefined}
	t := s.table(lines, flawRules(flaws)...)
	variant := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Head == "Variant" })
	for i, l := range lines {
		t.Rows[i].Cells[variant].Sign = metrics.Signs(l.scores.Flaws())
	}
	return t
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
