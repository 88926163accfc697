package report

import "fmt"

// DivLSTMRow is one trained Diversity-LSTM.
type DivLSTMRow struct {
	Dataset                   string
	LambdaCon                 float64 // 0: a plain LSTM, whose attention is the "vanilla" one
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Conicity                  float64 // mean |cosine| over the dev set, the paper's Loss_con
	Reduction                 string  // of the cross-entropy over a batch: "mean" or "sum"; lambda_con means nothing without it
	Epochs                    int
}

// DivLSTM is the table of Diversity-LSTMs: the paper's columns and what gives lambda_con its meaning.
func DivLSTM(rows []DivLSTMRow, about About) *Table {
	seeds := make([]uint64, len(rows))
	for i, r := range rows {
		seeds[i] = r.Seed
	}
	withSeed := severalSeeds(seeds)
	t := &Table{
		Name: "divlstm", Title: "Diversity-LSTM: accuracy and conicity by the weight of conicity.",
		Notes:   append(about.notes(), "Loss_con: mean |cosine| of each state with the mean state, over time, per sentence, of the dev set."),
		Columns: []Column{{Head: "Data set", Merge: true}, axisColumn("lambda_con")},
	}
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right})
	}
	t.Columns = append(t.Columns, Column{Head: "dev Acc.%", Align: Right}, Column{Head: "test Acc.%", Align: Right},
		Column{Head: "Loss_con", TeX: `$Loss_{con}$`, Align: Right}, Column{Head: "cross-entropy"}, Column{Head: "epochs", Align: Right})
	for i, r := range rows {
		cells := []Cell{{Text: r.Dataset}, {Text: plain(r.LambdaCon)}}
		if withSeed {
			cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
		}
		cells = append(cells, Cell{Text: decimals(r.DevAccuracy, 1)}, Cell{Text: decimals(r.TestAccuracy, 1)},
			Cell{Text: decimals(r.Conicity, 2)}, Cell{Text: r.Reduction}, Cell{Text: fmt.Sprint(r.Epochs)})
		t.Rows = append(t.Rows, Row{Cells: cells, Rule: i > 0 && rows[i-1].Dataset != r.Dataset})
	}
	return t
}
