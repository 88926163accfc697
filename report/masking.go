package report

import "fmt"

// MaskingRow is one masking of one data set's test split.
type MaskingRow struct {
	Dataset, Method       string // explainable_attention, vanilla_attention, random
	LambdaCon, LambdaEps  float64
	Seed                  uint64
	MaskedShare           float64 // of words, 0-1
	NoneMasked, AllMasked int     // sentences
	Accuracy              float64 // percent, of the evaluation classifier on the masked text: lower hides style better
	SBLEU                 float64 // percent, of the masked text against the source: higher keeps more content
}

// Masking is the table of maskings. Accuracy and s-BLEU pull against each other, so neither is marked.
func Masking(rows []MaskingRow, about About) *Table {
	seeds := make([]uint64, len(rows))
	for i, r := range rows {
		seeds[i] = r.Seed
	}
	withSeed := severalSeeds(seeds)
	t := &Table{
		Name: "masking", Title: "Masked test sentences: what the masks hide and what they keep.",
		Notes:   append(about.notes(), "Acc.%: evaluation classifier on the masked text (lower hides style better). s-BLEU: masked text against its source."),
		Columns: []Column{{Head: "Data set", Merge: true}, {Head: "method"}, axisColumn("lambda_con"), axisColumn("lambda_eps")},
	}
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right})
	}
	for _, head := range []string{"masked\nwords %", "nothing\nmasked", "all\nmasked", "Acc.%", "s-BLEU"} {
		t.Columns = append(t.Columns, Column{Head: head, Align: Right})
	}
	for i, r := range rows {
		cells := []Cell{{Text: r.Dataset}, {Text: r.Method}, {Text: plain(r.LambdaCon)}, {Text: plain(r.LambdaEps)}}
		if withSeed {
			cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
		}
		cells = append(cells, Cell{Text: decimals(100*r.MaskedShare, 1)}, Cell{Text: thousands(r.NoneMasked)}, Cell{Text: thousands(r.AllMasked)},
			Cell{Text: decimals(r.Accuracy, 1)}, Cell{Text: decimals(r.SBLEU, 1)})
		t.Rows = append(t.Rows, Row{Cells: cells, Rule: i > 0 && rows[i-1].Dataset != r.Dataset})
	}
	return t
}
