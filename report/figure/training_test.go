package figure

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/report"
)

// Losses that are different sums stand in panels of their own, others together.
func TestLossesApart(t *testing.T) {
	run := func(losses ...[2]float64) (r training) {
		for _, l := range losses {
			r.epochs = append(r.epochs, report.TrainingRow{TrainLoss: &l[0], DevLoss: &l[1]})
		}
		return r
	}
	half := run([2]float64{9, 1})
	half.epochs[0].TrainLoss = nil
	for name, c := range map[string]struct {
		runs []training
		want bool
	}{
		"near":                   {[]training{run([2]float64{2, 1}, [2]float64{1, 1.5})}, false},
		"far at every epoch":     {[]training{run([2]float64{9, 1}, [2]float64{4.1, 1})}, true},
		"dev loss far above":     {[]training{run([2]float64{.1, 1})}, true},
		"the factor itself":      {[]training{run([2]float64{4, 1})}, false},
		"near at one epoch":      {[]training{run([2]float64{9, 1}, [2]float64{3, 1})}, false},
		"one seed near":          {[]training{run([2]float64{9, 1}), run([2]float64{2, 1})}, false},
		"no factor to a loss 0":  {[]training{run([2]float64{9, 0})}, false},
		"one loss alone":         {[]training{half}, false},
		"nothing known of these": {[]training{{}}, false},
	} {
		if got := lossesApart(c.runs); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A panel a model, two where the losses are different sums, and none of a part that no model has.
func TestTrainingPanels(t *testing.T) {
	titles := func(f *Figure, err error) (titles []string) {
		if err != nil {
			t.Fatal(err)
		}
		if f == nil {
			return nil
		}
		for _, p := range f.panels {
			titles = append(titles, p.Title.Text)
		}
		return titles
	}
	rows := course("classifier", "lambda_con", "1") // its "dev loss" is far above its loss
	for i := range rows {
		rows[i].TrainLoss = rows[i].DevLoss
	}
	rows = append(rows, course("smlm", "lambda_con", "1", "2")...)
	got := titles(Losses(rows))
	want := []string{"Evaluation classifier, loss", "SMLM, training loss", "SMLM, dev loss"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("panels (-want +got):\n%s", d)
	}
	for i := range rows {
		if rows[i].Model == "smlm" {
			rows[i].DevAccuracy = nil
		}
	}
	if got := titles(Accuracies(rows)); !slices.Equal(got, []string{"Evaluation classifier, dev accuracy, %"}) {
		t.Errorf("panels of accuracy %q", got)
	}
	if f, err := Accuracies(rows[3:]); f != nil || err != nil {
		t.Errorf("of no accuracy: %v, %v", f, err)
	}
}

// Runs are named by what tells the runs of a model apart, and by nothing else. Seeds are runs of
// one name.
func TestTrainings(t *testing.T) {
	var rows []report.TrainingRow
	for _, r := range []struct{ model, con, eps string }{
		{"lm", "", ""},
		{"divlstm", "1", ""},
		{"divlstm", "2", ""},
		{"divlstm", "2", ""},
		{"smlm", "1", "0.5"},
		{"smlm", "1", "1"},
	} {
		for epoch := 1; epoch <= 2; epoch++ {
			row := report.TrainingRow{Dataset: "market", Model: r.model, Epoch: epoch}
			for _, a := range []report.Axis{{Key: "lambda_con", Value: r.con}, {Key: "lambda_eps", Value: r.eps}} {
				if a.Value != "" {
					row.Axes = append(row.Axes, a)
				}
			}
			rows = append(rows, row)
		}
	}
	var got []string
	for _, r := range trainings(rows) {
		got = append(got, r.model+": "+r.name)
		if len(r.epochs) != 2 {
			t.Errorf("%s has %d epochs", r.model, len(r.epochs))
		}
	}
	want := []string{
		"Language model: ", "Diversity-LSTM: lambda_con 1", "Diversity-LSTM: lambda_con 2", "Diversity-LSTM: lambda_con 2",
		"SMLM: lambda_eps 0.5", "SMLM: lambda_eps 1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("runs (-want +got):\n%s", d)
	}
}

// By hand: epochs 1 to 15 have a tick at every third.
func TestWholeTicks(t *testing.T) {
	var got []string
	for _, tick := range (wholeTicks{}).Ticks(0.5, 15.5) {
		got = append(got, tick.Label)
	}
	if want := []string{"1", "4", "7", "10", "13"}; !slices.Equal(got, want) {
		t.Errorf("ticks %q, want %q", got, want)
	}
}
