package report

import (
	"fmt"
	"strconv"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Corpus returns the table of `data report`, with one row per split and style.
func Corpus(r *corpus.Report) *table.Table {
	number := func(head string) table.Column { return table.Column{Head: head, Align: table.Right} }
	t := &table.Table{
		Name: "data", Title: fmt.Sprintf("Data set %s.", r.Name), Labels: 2,
		Columns: []table.Column{{Head: "Split", Merge: true}, {Head: "Style"}, number("sentences")},
	}
	for _, head := range []string{
		"references", "repeats", "words", "length\nmean", "length\n95 %", "length\nmax", "unknown\nwords %",
	} {
		t.Columns = append(t.Columns, number(head))
	}
	for split, parts := range r.Parts {
		for k := range parts {
			row := table.Row{Dataset: parts[k].Split, Rule: k == 0 && split > 0}
			for _, text := range partText(&parts[k]) {
				row.Cells = append(row.Cells, table.Cell{Text: text})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = corpusNotes(r)
	return t
}

// partText returns the cells of the row for one split and style.
func partText(p *corpus.PartInfo) []string {
	return []string{
		p.Split, p.Label, table.Thousands(p.Sentences), table.Count(p.References),
		table.Thousands(p.Duplicates), table.Thousands(p.Words), table.Decimals(p.Lengths.Mean, 1),
		strconv.Itoa(p.Lengths.P95), strconv.Itoa(p.Lengths.Max), table.Percent(p.OOVRate),
	}
}

func corpusNotes(r *corpus.Report) []string {
	notes := []string{
		fmt.Sprintf("The training text has %s words, %s of them different. The vocabulary keeps the %s most frequent; any "+
			"other is an unknown word.",
			table.Thousands(r.TrainWords), table.Thousands(r.TrainTypes), table.Thousands(r.VocabSize)),
		"repeats: sentences equal to an earlier one of the same split and style.",
		fmt.Sprintf("Distinct training sentences that occur in more than one style: %s.", table.Thousands(r.BothLabels)),
	}
	for i := range r.Overlaps {
		o := &r.Overlaps[i]
		notes = append(notes, fmt.Sprintf("%s sentences that are in %s: %s of %s; %s if case and punctuation are "+
			"ignored.", capital(o.Split), o.In, table.Thousands(o.Equal), table.Thousands(o.Sentences), table.Thousands(o.Folded)))
	}
	return notes
}
