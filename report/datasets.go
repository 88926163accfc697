package report

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// DatasetRow is one style of one data set: sentences a split as used, and as the paper counts them.
type DatasetRow struct {
	Dataset, Label         string
	Train, Dev, Test, Refs int
	Paper                  [3]int // train, dev, test in the paper (corpus.PaperCounts); 0: not in the paper
}

// Datasets is the table of data sets. The paper's counts have columns of their own where any row
// has one.
func Datasets(rows []DatasetRow, about About) *table.Table {
	inPaper := func(r *DatasetRow) bool { return r.Paper != [3]int{} }
	s := pointSheet("datasets", "Sentences per split and style of each data set.", func(r *DatasetRow) point {
		return point{dataset: r.Dataset}
	})
	s.labels = []column[DatasetRow]{datasetColumn(s.dataset), left("Style", func(r *DatasetRow) string {
		return r.Label
	})}
	s.figures = []column[DatasetRow]{
		count("Train", "train", func(r *DatasetRow) int { return r.Train }),
		count("Dev", "dev", func(r *DatasetRow) int { return r.Dev }),
		count("Test", "test", func(r *DatasetRow) int { return r.Test }),
		right("References", "", func(r *DatasetRow) string { return table.Count(r.Refs) }),
	}
	if anyOf(rows, inPaper) {
		for k, split := range []string{"train", "dev", "test"} {
			c := paperColumn("paper's\n"+split, func(r *DatasetRow) int { return r.Paper[k] })
			c.FromPaper = true
			s.figures = append(s.figures, c)
		}
	}
	t, style := s.table(rows, about.notes()...), 0
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

// paperColumn prints round thousands as the paper does, "266K", and the number itself in CSV.
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

// paperStyle is what the paper calls a style: those of data set files are numbered, 0 negative or
// contradiction, 1 positive or entailment.
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
