package report

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Corpus is the table of `data report`: a row a split and style, with the paper's counts where it
// uses the data set.
func Corpus(r *corpus.Report) *table.Table {
	type part struct {
		*corpus.PartInfo
		split corpus.Split
	}
	var rows []part
	for s, split := range r.Parts {
		for k := range split {
			rows = append(rows, part{&split[k], corpus.Split(s)})
		}
	}
	s := sheet[part]{name: "data", title: fmt.Sprintf("Data set %s.", r.Name), dataset: func(p *part) string {
		return p.Split
	}}
	s.figures = slices.Concat(
		[]column[part]{
			merged("Split", s.dataset),
			left("Style", func(p *part) string { return p.Label }),
			count("sentences", "", func(p *part) int { return p.Sentences }),
		},
		when(r.Paper, paperColumn("paper's", func(p *part) int { return p.Paper })),
		[]column[part]{
			right("references", "", func(p *part) string { return table.Count(p.References) }),
			count("repeats", "", func(p *part) int { return p.Duplicates }),
			right("also in\ntrain", "", func(p *part) string {
				if p.split == corpus.Train {
					return table.Absent
				}
				return table.Thousands(p.InTrain)
			}),
			count("words", "", func(p *part) int { return p.Words }),
			integer("length\nmin", "", func(p *part) int { return p.Lengths.Min }),
			right("length\nmedian", "", func(p *part) string { return table.Short(p.Lengths.Median) }),
			number("length\nmean", "", 1, func(p *part) float64 { return p.Lengths.Mean }),
			integer("length\n95 %", "", func(p *part) int { return p.Lengths.P95 }),
			integer("length\nmax", "", func(p *part) int { return p.Lengths.Max }),
			number("unknown\nwords %", "", 2, func(p *part) float64 { return 100 * p.OOVRate }),
		},
	)
	return s.table(
		rows,
		fmt.Sprintf("Training text: %s words, %s distinct; the vocabulary keeps the %s most frequent. Unknown words: "+
			"outside it.",
			table.Thousands(r.TrainWords), table.Thousands(r.TrainTypes), table.Thousands(r.VocabSize)),
		"Repeats: sentences equal to an earlier one of the same part. Also in train: dev and test sentences that are "+
			"training sentences, of either style.",
		fmt.Sprintf("%s distinct training sentences occur in both styles.", table.Thousands(r.BothLabels)),
	)
}
