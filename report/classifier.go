package report

import "fmt"

// ClassifierRow is one trained evaluation classifier.
type ClassifierRow struct {
	Dataset, Model            string
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Epochs, Parameters        int
}

// Classifier is the table of evaluation classifiers. The seed has a column where there is more than one.
func Classifier(rows []ClassifierRow, about About) *Table {
	seeds := make([]uint64, len(rows))
	for i, r := range rows {
		seeds[i] = r.Seed
	}
	withSeed := severalSeeds(seeds)
	t := &Table{Name: "classifier", Title: "Accuracy of the style classifier that measures TST%.", Notes: about.notes()}
	t.Columns = []Column{{Head: "Data set", Merge: true}, {Head: "Model"}}
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right})
	}
	t.Columns = append(t.Columns, Column{Head: "dev Acc.%", Align: Right}, Column{Head: "test Acc.%", Align: Right},
		Column{Head: "epochs", Align: Right}, Column{Head: "parameters", Align: Right})
	for i, r := range rows {
		cells := []Cell{{Text: r.Dataset}, {Text: r.Model}}
		if withSeed {
			cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
		}
		cells = append(cells, Cell{Text: decimals(r.DevAccuracy, 1)}, Cell{Text: decimals(r.TestAccuracy, 1)},
			Cell{Text: fmt.Sprint(r.Epochs)}, Cell{Text: thousands(r.Parameters)})
		t.Rows = append(t.Rows, Row{Cells: cells, Rule: i > 0 && rows[i-1].Dataset != r.Dataset})
	}
	return t
}

// severalSeeds says whether a table needs a seed column.
func severalSeeds(seeds []uint64) bool {
	for _, s := range seeds {
		if s != seeds[0] {
			return true
		}
	}
	return false
}
