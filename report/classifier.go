package report

import "fmt"

// BiLSTM is the Model of the one classifier that measures TST%.
const BiLSTM = "Bi-LSTM"

// comparedNote says what the other classifiers are for.
const comparedNote = "Only the Bi-LSTM measures TST%; the other classifier is there to compare (paper, table classifier-stats)."

// ClassifierRow is one trained evaluation classifier.
type ClassifierRow struct {
	Dataset                   string
	Model                     string // BiLSTM, or one to compare with it: "fastText-like"
	Axes                      []Axis // the swept settings
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Epochs, Parameters        int
}

// Classifier is the table of evaluation classifiers. The swept settings and the seed have columns where they differ.
func Classifier(rows []ClassifierRow, about About) *Table {
	seeds, axes := make([]uint64, len(rows)), make([][]Axis, len(rows))
	compared := false
	for i, r := range rows {
		seeds[i], axes[i] = r.Seed, r.Axes
		compared = compared || r.Model != BiLSTM
	}
	withSeed, keys := severalSeeds(seeds), differing(axes)
	t := &Table{Name: "classifier", Title: "Accuracy of the style classifier that measures TST%.", Notes: about.notes(), paper: "classifier"}
	if compared {
		t.Title = "Accuracy of the style classifiers."
		t.Notes = append(t.Notes, comparedNote)
	}
	t.Columns = append([]Column{{Head: "Data set", Merge: true}, {Head: "Model"}}, axisColumns(keys, axes)...)
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right, setting: true})
	}
	t.labels = len(t.Columns)
	t.Columns = append(t.Columns, Column{Head: "dev Acc.%", Align: Right}, Column{Head: "test Acc.%", Align: Right, key: "accuracy"},
		Column{Head: "epochs", Align: Right}, Column{Head: "parameters", Align: Right})
	for i, r := range rows {
		cells := append([]Cell{{Text: r.Dataset}, {Text: r.Model}}, axisCells(keys, r.Axes)...)
		if withSeed {
			cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
		}
		cells = append(cells, Cell{Text: decimals(r.DevAccuracy, 1)}, Cell{Text: decimals(r.TestAccuracy, 1)},
			Cell{Text: fmt.Sprint(r.Epochs)}, Cell{Text: thousands(r.Parameters)})
		t.Rows = append(t.Rows, Row{Cells: cells, Rule: i > 0 && rows[i-1].Dataset != r.Dataset, dataset: r.Dataset, name: r.Model})
	}
	return t
}
