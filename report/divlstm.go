package report

import "fmt"

// DivLSTMRow is one trained Diversity-LSTM.
type DivLSTMRow struct {
	Dataset                   string
	LambdaCon                 float64 // 0: a plain LSTM, whose attention is the "vanilla" one
	Axes                      []Axis  // the swept settings; lambda_con among them is passed over
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Conicity                  float64 // mean |cosine| over the dev set, the paper's Loss_con
	Reduction                 string  // of the cross-entropy over a batch: "mean" or "sum"; lambda_con means nothing without it
	Epochs                    int
}

// conicityNote says what Loss_con is.
const conicityNote = "Loss_con: mean |cosine| of each state with the mean state, over time, per sentence, of the dev set."

// conicityColumn is that of Loss_con.
var conicityColumn = Column{Head: "Loss_con", TeX: `$Loss_{con}$`, Align: Right, key: "conicity"}

// DivLSTM is the table of Diversity-LSTMs: the paper's columns and what gives lambda_con its meaning. Other swept settings and
// the seed have columns where they differ.
func DivLSTM(rows []DivLSTMRow, about About) *Table {
	seeds, axes := make([]uint64, len(rows)), make([][]Axis, len(rows))
	for i, r := range rows {
		seeds[i], axes[i] = r.Seed, r.Axes
	}
	withSeed, keys := severalSeeds(seeds), differing(axes, "lambda_con")
	t := &Table{
		Name: "divlstm", Title: "Diversity-LSTM: accuracy and conicity by the weight of conicity.",
		Notes:   append(about.notes(), conicityNote),
		Columns: []Column{{Head: "Data set", Merge: true}, axisColumn("lambda_con")},
		paper:   "divlstm",
	}
	t.Columns = append(t.Columns, axisColumns(keys, axes)...)
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right, setting: true})
	}
	t.labels = len(t.Columns)
	t.Columns = append(t.Columns, Column{Head: "dev Acc.%", Align: Right}, Column{Head: "test Acc.%", Align: Right, key: "accuracy"},
		conicityColumn, Column{Head: "cross-entropy"}, Column{Head: "epochs", Align: Right})
	for i, r := range rows {
		cells := append([]Cell{{Text: r.Dataset}, {Text: plain(r.LambdaCon)}}, axisCells(keys, r.Axes)...)
		if withSeed {
			cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
		}
		cells = append(cells, Cell{Text: decimals(r.DevAccuracy, 1)}, Cell{Text: decimals(r.TestAccuracy, 1)},
			Cell{Text: decimals(r.Conicity, 2)}, Cell{Text: r.Reduction}, Cell{Text: fmt.Sprint(r.Epochs)})
		row := Row{Cells: cells, Rule: i > 0 && rows[i-1].Dataset != r.Dataset, dataset: r.Dataset}
		if r.LambdaCon > 0 { // the paper prints none of the plain LSTM
			row.name = "Diversity-LSTM"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
