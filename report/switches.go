package report

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// SwitchRow is one variant of the settings on one data set: a profile, or the first one with a switch changed.
type SwitchRow struct {
	Dataset, Variant      string
	Changes               string        // what it sets differently from the first, as in the file: "divlstm.conicity_axis = batch"; "" for the first
	Method                policy.Method // which words are masked; rows of one method are compared with each other
	Seed                  uint64
	SameMasks             bool          // the masks are the first variant's own: no line in the table of masks
	DevAccuracy, Conicity float64       // of the Diversity-LSTM, percent and the paper's Loss_con; not a number where there is none, as in all of these
	MaskedShare           float64       // of words of the test split, 0-1
	Accuracy, SBLEU       float64       // percent, of the masked test split
	Models                []SwitchModel // the systems trained, in the order of the table
}

// SwitchModel is what one system scores.
type SwitchModel struct {
	System  string
	Metrics *metrics.Scores
}

// differenceNote says what stands in parentheses.
const differenceNote = "In parentheses: the difference to the first variant of the data set (and of the method and the seed), of the numbers as printed; =: none."

// Switches is the effect of settings changed one at a time: a table of what the Diversity-LSTM learns and its masks hide, one line a
// variant, and, where any row has models, a second table of what they score, one line a variant and system. The two are too wide
// for one page. Rows of a data set and of a method stand together, the variant that the others are compared with first.
func Switches(rows []SwitchRow, about About) []*Table {
	rows = inSwitchOrder(rows)
	first := switchBases(rows)
	out := []*Table{switchMasks(rows, first, about)}
	if t := switchModels(rows, first, about); len(t.Rows) > 0 {
		out = append(out, t)
	}
	return out
}

// switchMasks is the first of the tables.
func switchMasks(rows []SwitchRow, first []int, about About) *Table {
	withSeed := severalSeeds(switchSeeds(rows))
	withMethod := severalMethods(rows)
	t := &Table{
		Name: "switches", Title: "Settings changed one at a time: Diversity-LSTM and masks.",
		Notes:   append(about.of("s_bleu").notes(), differenceNote, conicityNote, "Masked words, Acc.% and s-BLEU: of the masked test sentences; Acc.%: evaluation classifier (lower hides style better)."),
		Columns: []Column{{Head: "Data set", Merge: true}},
	}
	if withMethod {
		t.Columns = append(t.Columns, Column{Head: "method", Merge: true})
	}
	t.Columns = append(t.Columns, Column{Head: "Variant"}, Column{Head: "changed settings", Width: 4.6})
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right, setting: true})
	}
	for _, c := range []Column{
		{Head: "Div-LSTM\ndev Acc.%", Align: Right},
		conicityColumn,
		{Head: "masked\nwords %", Align: Right},
		{Head: "masked\nAcc.%", Align: Right},
		{Head: "masked\ns-BLEU", Align: Right},
	} {
		t.Columns = append(t.Columns, comparedColumn(c))
	}
	for i, r := range rows {
		if r.SameMasks {
			continue
		}
		cells := []Cell{{Text: r.Dataset}}
		if withMethod {
			cells = append(cells, Cell{Text: methodName(r.Method)})
		}
		cells = append(cells, Cell{Text: r.Variant}, Cell{Text: r.Changes})
		if withSeed {
			cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
		}
		base := &rows[first[i]]
		for _, v := range []struct {
			value, base float64
			decimals    int
		}{
			{r.DevAccuracy, base.DevAccuracy, 1},
			{r.Conicity, base.Conicity, 2},
			{100 * r.MaskedShare, 100 * base.MaskedShare, 1},
			{r.Accuracy, base.Accuracy, 1},
			{r.SBLEU, base.SBLEU, 1},
		} {
			cell := Cell{Text: decimals(v.value, v.decimals)}
			if first[i] != i {
				cell = comparedCell(cell.Text, decimals(v.base, v.decimals))
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, Row{Cells: cells, Rule: i > 0 && (rows[i-1].Dataset != r.Dataset || rows[i-1].Method != r.Method)})
	}
	return t
}
