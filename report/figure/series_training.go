package figure

import (
	"iter"

	"github.com/smlm-exp/smlm-exp/report"
)

// Training draws the training of each data set: a panel a model, whose lines are named by what
// tells them apart.
func TrainingOf(rows []report.TrainingRow) iter.Seq2[string, Figure] {
	type model struct{ dataset, name string }
	axes := map[model][][]report.Axis{}
	var datasets []string
	for _, r := range rows {
		m := model{r.Dataset, r.Model}
		axes[m] = append(axes[m], r.Axes)
	}
	apart := map[model][]string{}
	for m, all := range axes {
		apart[m] = report.Differing(all)
	}
	curves := map[string][]Curve{}
	for i := 0; i < len(rows); {
		row, k := &rows[i], i
		c := Curve{Panel: row.Model, Name: only(row.Axes, apart[model{row.Dataset, row.Model}])}
		for ; k < len(rows) && (k == i || rows[k].Epoch > rows[k-1].Epoch); k++ {
			e := &rows[k]
			c.Epochs = append(c.Epochs, Epoch{
				N: e.Epoch, Loss: e.TrainLoss, DevLoss: e.DevLoss, DevAccuracy: e.DevAccuracy, Kept: e.Kept,
			})
		}
		if curves[row.Dataset] == nil {
			datasets = append(datasets, row.Dataset)
		}
		curves[row.Dataset] = append(curves[row.Dataset], c)
		i = k
	}
	return func(yield func(string, Figure) bool) {
		for _, dataset := range datasets {
			if !yield(dataset, Training{Curves: curves[dataset]}) {
				return
			}
		}
	}
}
