package report

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// Corpus is the table of `data report`: a row a split and style, with the paper's counts where it uses the data set.
func Corpus(r *corpus.Report) *Table {
	t := &Table{Name: "data", Title: fmt.Sprintf("Data set %s.", r.Name), Columns: []Column{{Head: "Split", Merge: true}, {Head: "Style"}, {Head: "sentences", Align: Right}}}
	if r.Paper {
		t.Columns = append(t.Columns, Column{Head: "paper's", Align: Right})
	}
	for _, head := range []string{"references", "repeats", "also in\ntrain", "words", "length\nmin", "length\nmedian", "length\nmean", "length\n95 %", "length\nmax", "unknown\nwords %"} {
		t.Columns = append(t.Columns, Column{Head: head, Align: Right})
	}
	for s, split := range r.Parts {
		for k, p := range split {
			cells := []Cell{{Text: p.Split}, {Text: p.Label}, {Text: thousands(p.Sentences)}}
			if r.Paper {
				cells = append(cells, paperCell(p.Paper))
			}
			leaked := thousands(p.InTrain)
			if corpus.Split(s) == corpus.Train {
				leaked = Absent
			}
			l := p.Lengths
			cells = append(cells, Cell{Text: count(p.References)}, Cell{Text: thousands(p.Duplicates)}, Cell{Text: leaked}, Cell{Text: thousands(p.Words)},
				Cell{Text: fmt.Sprint(l.Min)}, Cell{Text: plain(l.Median)}, Cell{Text: decimals(l.Mean, 1)}, Cell{Text: fmt.Sprint(l.P95)}, Cell{Text: fmt.Sprint(l.Max)},
				Cell{Text: decimals(100*p.OOVRate, 2)})
			t.Rows = append(t.Rows, Row{Cells: cells, Rule: s > 0 && k == 0})
		}
	}
	t.Notes = []string{
		fmt.Sprintf("Training text: %s words, %s distinct; the vocabulary keeps the %s most frequent. Unknown words: outside it.", thousands(r.TrainWords), thousands(r.TrainTypes), thousands(r.VocabSize)),
		"Repeats: sentences equal to an earlier one of the same part. Also in train: dev and test sentences that are training sentences, of either style.",
		fmt.Sprintf("%s distinct training sentences occur in both styles.", thousands(r.BothLabels)),
	}
	return t
}
