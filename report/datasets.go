package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// DatasetRow is one style of one data set, with our and the paper's number of sentences per split.
type DatasetRow struct {
	Dataset, Label         string
	Train, Dev, Test, Refs int
	Paper                  [3]int // train, dev, test in the paper (corpus.PaperCounts); 0: not in the paper
}

// Datasets returns the table of data sets. It has columns for the paper's counts if any row has
// them.
func Datasets(rows []DatasetRow, about About) *table.Table {
	inPaper := func(r *DatasetRow) bool { return r.Paper != [3]int{} }
	s := pointSheet("datasets", "Number of sentences in each data set.", func(r *DatasetRow) point {
		return point{dataset: r.Dataset}
	})
	s.labels = []column[DatasetRow]{datasetColumn(s.dataset), left("Style", func(r *DatasetRow) string {
		return r.Label
	})}
	s.numbers = []column[DatasetRow]{
		count("train", "train", func(r *DatasetRow) int { return r.Train }),
		count("dev", "dev", func(r *DatasetRow) int { return r.Dev }),
		count("test", "test", func(r *DatasetRow) int { return r.Test }),
		right("references", "", func(r *DatasetRow) string { return table.Count(r.Refs) }),
	}
	if anyOf(rows, inPaper) {
		for k, split := range []string{"train", "dev", "test"} {
			c := paperColumn("paper's\n"+split, func(r *DatasetRow) int { return r.Paper[k] })
			c.FromPaper = true
			s.numbers = append(s.numbers, c)
		}
	}
	s.about = about
	t, style := s.table(rows), 0
	for i := range rows {
		style++
		if i == 0 || rows[i].Dataset != rows[i-1].Dataset {
			style = 0
		}
		if inPaper(&rows[i]) {
			t.Rows[i].Name = paperStyle(rows[i].Dataset, style)
		}
	}
	return t
}

// paperColumn prints round thousands from 10,000 as the paper does, "266K". CSV has the number
// itself.
func paperColumn[R any](head string, of func(*R) int) column[R] {
	c := count(head, "", of)
	c.cell = func(r *R) table.Cell {
		n := of(r)
		text := table.Count(n)
		if n >= 10_000 && n%1000 == 0 {
			return table.Cell{Text: fmt.Sprintf("%dK", n/1000), Parts: []string{text}}
		}
		return table.Cell{Text: text}
	}
	return c
}

// paperStyle returns the paper's name of a style. Styles are numbered: 0 is negative or
// contradiction, 1 is positive or entailment.
func paperStyle(dataset string, style int) string {
	names := []string{"negative", "positive"}
	if strings.HasPrefix(strings.ToLower(dataset), "snli") {
		names = []string{"contradiction", "entailment"}
	}
	if style >= len(names) {
		return ""
	}
	return names[style]
}

// Corpus returns the table of `data report`: one row per split and style, with the paper's counts
// if the paper uses the data set.
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
	s.labels = []column[part]{
		merged("Split", s.dataset),
		left("Style", func(p *part) string { return p.Label }),
	}
	s.numbers = slices.Concat(
		[]column[part]{count("sentences", "", func(p *part) int { return p.Sentences })},
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
			right("unknown\nwords %", "", func(p *part) string { return table.Percent(p.OOVRate) }),
		},
	)
	notes := []string{
		fmt.Sprintf("The training text has %s words, %s of them different. The vocabulary keeps the %s most frequent; all "+
			"others are unknown words.",
			table.Thousands(r.TrainWords), table.Thousands(r.TrainTypes), table.Thousands(r.VocabSize)),
		"repeats: sentences equal to an earlier one of the same split and style; also in train: dev and test sentences that " +
			"are training sentences too, of any style.",
		fmt.Sprintf("Distinct training sentences that occur in more than one style: %s.", table.Thousands(r.BothLabels)),
	}
	for i := range r.Overlaps {
		o := &r.Overlaps[i]
		notes = append(notes, fmt.Sprintf("%s sentences that are in %s: %s of %s; %s if case and punctuation are "+
			"ignored.", capital(o.Split), o.In, table.Thousands(o.Equal), table.Thousands(o.Sentences), table.Thousands(o.Folded)))
	}
	return s.table(rows, notes...)
}
