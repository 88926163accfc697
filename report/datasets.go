package report

import (
	"fmt"
	"strings"
)

// DatasetRow is one style of one data set: sentences a split as used, and as the paper counts them.
type DatasetRow struct {
	Dataset, Label         string
	Train, Dev, Test, Refs int
	Paper                  [3]int // train, dev, test in the paper (corpus.PaperCounts); 0: not in the paper
}

// Datasets is the table of data sets. The paper's counts have columns of their own where any row has one.
func Datasets(rows []DatasetRow, about About) *Table {
	t := &Table{
		Name: "datasets", Title: "Sentences per split and style of each data set.", Notes: about.notes(),
		Columns: []Column{
			{Head: "Data set", Merge: true},
			{Head: "Style"},
			{Head: "Train", Align: Right, key: "train"},
			{Head: "Dev", Align: Right, key: "dev"},
			{Head: "Test", Align: Right, key: "test"},
			{Head: "References", Align: Right},
		},
		labels: 2, paper: "datasets",
	}
	paper := false
	for _, r := range rows {
		paper = paper || r.Paper != [3]int{}
	}
	if paper {
		for _, split := range []string{"train", "dev", "test"} {
			t.Columns = append(t.Columns, Column{Head: "paper's\n" + split, Align: Right, fromPaper: true})
		}
	}
	style := 0
	for i, r := range rows {
		style++
		if i == 0 || r.Dataset != rows[i-1].Dataset {
			style = 0
		}
		row := Row{Rule: i > 0 && style == 0, dataset: r.Dataset}
		if r.Paper != [3]int{} {
			row.name = paperStyle(r.Dataset, style)
		}
		row.Cells = []Cell{{Text: r.Dataset}, {Text: r.Label}, {Text: thousands(r.Train)}, {Text: thousands(r.Dev)}, {Text: thousands(r.Test)}, {Text: count(r.Refs)}}
		if paper {
			for _, n := range r.Paper {
				row.Cells = append(row.Cells, paperCell(n))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// paperCount prints round thousands as the paper does: "266K".
func paperCount(n int) string {
	if n >= 10_000 && n%1000 == 0 {
		return fmt.Sprintf("%dK", n/1000)
	}
	return count(n)
}

// paperCell is paperCount, and the number itself in CSV.
func paperCell(n int) Cell { return Cell{Text: paperCount(n), Parts: []string{count(n)}} }

func count(n int) string {
	if n == 0 {
		return Absent
	}
	return thousands(n)
}

// paperStyle is what the paper calls a style: those of data set files are numbered, 0 negative or contradiction, 1 positive or entailment.
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
