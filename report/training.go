package report

import "fmt"

// TrainingRow is one epoch of one trained model. Rows of a model stand together, in the order of its epochs.
type TrainingRow struct {
	Dataset     string
	Model       string // its kind: "classifier", "SMLM-G"
	Axes        []Axis // the swept settings
	Seed        uint64
	Epoch       int      // from 1
	Steps       int      // of the optimizer since the start
	TrainLoss   *float64 // mean over the epoch, of what the model is trained on; nil where it is not known
	DevLoss     *float64
	DevAccuracy *float64 // percent; nil for models that do not classify
	Conicity    *float64 // of the dev set, the paper's Loss_con; nil for all but the Diversity-LSTM
	Kept        bool     // the model ends with the weights of this epoch
}

// trainingNote says what the columns are.
const trainingNote = "A line an epoch; *: the epoch whose weights were kept. Steps: optimizer steps since the start. Losses of different models are different sums and must not be compared."

// Training is the course of every model's training. The swept settings and the seed have columns where they differ, dev accuracy
// and conicity where a model has them.
func Training(rows []TrainingRow, about About) *Table {
	seeds, axes := make([]uint64, len(rows)), make([][]Axis, len(rows))
	accuracy, conicity := false, false
	for i, r := range rows {
		seeds[i], axes[i] = r.Seed, r.Axes
		accuracy, conicity = accuracy || r.DevAccuracy != nil, conicity || r.Conicity != nil
	}
	withSeed, keys := severalSeeds(seeds), differing(axes)
	t := &Table{Name: "training", Title: "Training, epoch by epoch.", Notes: append(about.notes(), trainingNote)}
	t.Columns = append([]Column{{Head: "Data set"}, {Head: "Model"}}, axisColumns(keys, axes)...)
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right, setting: true})
	}
	for i := range t.Columns {
		t.Columns[i].Merge = true
	}
	t.Columns = append(t.Columns, Column{Head: "epoch", Align: Right}, Column{Head: "kept", Align: Center}, Column{Head: "steps", Align: Right},
		Column{Head: "train loss", Align: Right}, Column{Head: "dev loss", Align: Right})
	if accuracy {
		t.Columns = append(t.Columns, Column{Head: "dev Acc.%", Align: Right})
	}
	if conicity {
		t.Columns = append(t.Columns, conicityColumn)
		t.Notes = append(t.Notes, conicityNote)
	}
	for i, r := range rows {
		cells := append([]Cell{{Text: r.Dataset}, {Text: r.Model}}, axisCells(keys, r.Axes)...)
		if withSeed {
			cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
		}
		kept := ""
		if r.Kept {
			kept = "*"
		}
		cells = append(cells, Cell{Text: fmt.Sprint(r.Epoch)}, Cell{Text: kept}, Cell{Text: thousands(r.Steps)}, optional(r.TrainLoss, inFour), optional(r.DevLoss, inFour))
		if accuracy {
			cells = append(cells, optional(r.DevAccuracy, inOne))
		}
		if conicity {
			cells = append(cells, optional(r.Conicity, inTwo))
		}
		// Epochs count up within one model; another model begins anew.
		t.Rows = append(t.Rows, Row{Cells: cells, Rule: i > 0 && (r.Epoch <= rows[i-1].Epoch || r.Dataset != rows[i-1].Dataset || r.Model != rows[i-1].Model)})
	}
	return t
}
