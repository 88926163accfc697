package report

import (
	"fmt"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// trainings returns the epochs of two Diversity-LSTMs with different lambda_con, and of an SMLM,
// which has neither accuracy nor conicity.
func trainings() (records []*Record) {
	for _, con := range []string{"0", "10"} {
		for _, r := range manyEpochs("divlstm", 3, "lambda_con", con, "lambda_eps", "0.15") {
			r.Values["dev_accuracy"], r.Values["conicity"] = 90+float64(r.Epoch()), .7/float64(r.Epoch())
			records = append(records, r)
		}
	}
	smlm := manyEpochs("smlm", 2)
	delete(smlm[0].Values, "train_loss")
	return append(records, smlm...)
}

// manyEpochs returns the epochs of one model. The second-last epoch is marked as kept.
func manyEpochs(model string, n int, settings ...string) (records []*Record) {
	for epoch := 1; epoch <= n; epoch++ {
		kept := ""
		if epoch == n-1 {
			kept = "*"
		}
		axes := append([]string{Dataset, "market", "model", model}, settings...)
		records = append(records, record(FromEpochs, metrics.Values{
			"steps": float64(1250 * epoch), "train_loss": 1 / float64(epoch), "dev_loss": .5 + 1/float64(epoch),
		}, append(axes, Seed, "1", "epoch", fmt.Sprint(epoch), "kept", kept)...))
	}
	return records
}

func TestTraining(t *testing.T) {
	made := Build("training", trainings(), About{})
	// The table has a column lambda_eps, although both Diversity-LSTMs have the same lambda_eps.
	// The reason is that SMLM has none.
	if got, want := heads(made), "Data set,Model,lambda_con,lambda_eps,epoch,kept,steps,train loss,dev loss,dev "+
		"Acc.%,Loss_con"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	for i, r := range made.Rows {
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
	// The first epoch of SMLM has no training loss, accuracy or conicity.
	if c := made.Rows[6].Cells; c[7].Text != Absent || c[9].Text != Absent || c[10].Text != Absent {
		t.Errorf("SMLM has a training loss, accuracy or conicity: %v", c)
	}
	const want = "Data set,Model,epoch,kept,steps,train loss,dev loss"
	if got := heads(Build("training", manyEpochs("smlm", 2), About{})); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
}

// TestOneNameOfAModel checks that the tables "training" and "classifier" use the same names for
// models.
func TestOneNameOfAModel(t *testing.T) {
	for _, model := range []string{"classifier", "fasttext", "unseen-cnn"} {
		training := Build("training", manyEpochs(model, 2), About{}).Rows[0].Cells[1].Text
		one := []*Record{classifier("market", model, "1", 90, 90, 1, 1)}
		accuracy := Build("classifier", one, About{}).Rows[0].Cells[1].Text
		if want := PartName(model); training != want || accuracy != want {
			t.Errorf("training calls %s %q, classifier %q, want %q", model, training, accuracy, want)
		}
	}
}
