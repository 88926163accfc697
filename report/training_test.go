package report

import "testing"

// trainingRows are invented: a Diversity-LSTM at two weights of conicity, and an SMLM, which has
// neither accuracy nor conicity.
func trainingRows() []TrainingRow {
	var rows []TrainingRow
	for _, con := range []string{"0", "10"} {
		for _, r := range manyEpochs("divlstm", 3) {
			r.Axes = []Axis{{Key: "lambda_con", Value: con}, {Key: "lambda_eps", Value: "0.15"}}
			r.DevAccuracy, r.Conicity = pointer(90+float64(r.Epoch)), pointer(0.7/float64(r.Epoch))
			rows = append(rows, r)
		}
	}
	smlm := manyEpochs("smlm", 2)
	smlm[0].TrainLoss = nil
	return append(rows, smlm...)
}

// manyEpochs makes the rows of one model; the last but one epoch is kept.
func manyEpochs(model string, n int) []TrainingRow {
	rows := make([]TrainingRow, n)
	for i := range rows {
		e := float64(i + 1)
		rows[i] = TrainingRow{
			Dataset: "market", Model: model, Seed: 1, Epoch: i + 1, Steps: 1250 * (i + 1),
			TrainLoss: pointer(1 / e), DevLoss: pointer(0.5 + 1/e), Kept: i == n-2,
		}
	}
	return rows
}

func TestTraining(t *testing.T) {
	table := Training(trainingRows(), About{})
	if got, want := heads(table), "Data set,Model,lambda_con,lambda_eps,epoch,kept,steps,train loss,dev loss,dev "+
		"Acc.%,Loss_con"; got != want {
		t.Errorf("columns %s, want %s", got, want) // lambda_eps is not an axis of SMLM's rows, so it differs
	}
	for i, r := range table.Rows {
		if want := i == 3 || i == 6; r.Rule != want { // the first epochs of the second and third model
			t.Errorf("line above row %d: %v", i, r.Rule)
		}
		kept := ""
		if i == 1 || i == 4 || i == 6 {
			kept = "*"
		}
		if r.Cells[5].Text != kept {
			t.Errorf("row %d is marked %q", i, r.Cells[5].Text)
		}
	}
	if c := table.Rows[6].Cells; c[7].Text != Absent || c[9].Text != Absent || c[10].Text != Absent {
		t.Errorf("SMLM has neither accuracy nor conicity, and here no training loss: %v", c)
	}
	if got, want := heads(Training(manyEpochs("smlm", 2), About{})), "Data set,Model,epoch,kept,steps,train "+
		"loss,dev loss"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
}

// A model has one name: in the table of classifiers, in that of trainings and in notes.
func TestOneNameOfAModel(t *testing.T) {
	for _, model := range []string{"classifier", "fasttext", "unseen-cnn"} {
		inTraining := Training(manyEpochs(model, 2), About{}).Rows[0].Cells[1].Text
		inClassifier := Classifier([]ClassifierRow{{Dataset: "market", Model: model}}, About{}).Rows[0].Cells[1].Text
		if want := PartName(model); inTraining != want || inClassifier != want {
			t.Errorf("%s is %q in the table of trainings and %q in that of classifiers: want %q", model, inTraining, inClassifier,
				want)
		}
	}
}
