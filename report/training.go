package report

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// TrainingRow is one epoch of one trained model. Rows of a model are adjacent, in order of epochs.
type TrainingRow struct {
	Dataset     string
	Model       string // the name of its stage: "classifier", "unseen-cnn"
	Axes        []Axis // the swept settings
	Seed        uint64
	Epoch       int      // from 1
	Steps       int      // optimizer steps since the start
	TrainLoss   *float64 // mean training objective over the epoch; nil: unknown
	DevLoss     *float64
	DevAccuracy *float64 // percent; nil for models that do not classify
	Conicity    *float64 // of the dev set, the paper's Loss_con; nil for all but the Diversity-LSTM
	Kept        bool     // the final model has the weights of this epoch
}

// trainingNote explains the columns.
const trainingNote = "Steps are optimizer steps since the start. Losses of different models are different sums and must not be compared."

// Training returns the table of all training runs by epoch. Swept settings and seed have columns
// only if they differ. Dev accuracy and conicity have columns only if any model has them.
func Training(rows []TrainingRow, about About) *table.Table {
	at := func(r *TrainingRow) point { return point{r.Dataset, r.Axes, r.Seed} }
	s, notes := pointSheet("training", "Training of the models, epoch by epoch.", at), []string{trainingNote}
	s.about = about
	accuracy := anyOf(rows, func(r *TrainingRow) bool { return r.DevAccuracy != nil })
	conicity := anyOf(rows, func(r *TrainingRow) bool { return r.Conicity != nil })
	model := slices.Concat(
		[]column[TrainingRow]{datasetColumn(s.dataset), modelColumn(func(r *TrainingRow) string { return r.Model })},
		settingColumns(rows, at),
	)
	for j := range model {
		model[j].Merge = true
	}
	kept := left("kept", func(r *TrainingRow) string {
		if r.Kept {
			return "*"
		}
		return ""
	})
	kept.Align = table.Center
	s.paper = ""
	s.labels = append(model, integer("epoch", "", func(r *TrainingRow) int { return r.Epoch }), kept)
	s.numbers = slices.Concat(
		[]column[TrainingRow]{
			count("steps", "", func(r *TrainingRow) int { return r.Steps }),
			optional("train loss", "", 4, func(r *TrainingRow) *float64 { return r.TrainLoss }),
			optional("dev loss", "", 4, func(r *TrainingRow) *float64 { return r.DevLoss }),
		},
		when(accuracy, optional("dev Acc.%", "", 1, func(r *TrainingRow) *float64 { return r.DevAccuracy })),
		when(conicity, conicityColumn(func(r *TrainingRow) *float64 { return r.Conicity })),
	)
	if conicity {
		s.defines = []string{conicityNote}
	}
	s.apart = func(before, r *TrainingRow) bool { // epochs rise within a model and restart with the next
		return r.Epoch <= before.Epoch || r.Dataset != before.Dataset || r.Model != before.Model
	}
	s.legend = []string{"*: the model has the weights of this epoch."}
	return s.table(rows, notes...)
}
