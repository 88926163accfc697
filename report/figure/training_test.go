package figure

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/report"
)

// TestTrainingPanels checks that each model has one panel for its losses. A model without accuracy
// has no panel for accuracies, and a training of two epochs is not drawn. Axes show only values
// that are possible.
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
	classifier, smlm := course("classifier", "lambda_con", "1"), course("smlm", "lambda_con", "1", "2")
	epochs := append(classifier, smlm...)
	got := titles(Losses(epochs))
	want := []string{"Evaluation classifier, loss", "SMLM, loss"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("panels (-want +got):\n%s", d)
	}
	for _, e := range smlm {
		delete(e.Values, "dev_accuracy")
	}
	if got := titles(Accuracies(epochs)); !slices.Equal(got, []string{"Evaluation classifier, dev Acc.%"}) {
		t.Errorf("panels of accuracy %q", got)
	}
	for _, e := range classifier {
		e.Values["dev_accuracy"], e.Values["train_loss"] = 100, 0
	}
	for _, draw := range []func([]*report.Record) (*Figure, error){Accuracies, Losses} {
		f, err := draw(classifier)
		if err != nil {
			t.Fatal(err)
		}
		if y := f.panels[0].Y; y.Min < 0 || y.Max > 100 {
			t.Errorf("an axis is from %v to %v", y.Min, y.Max)
		}
		if f, err := draw(classifier[:2]); f != nil || err != nil {
			t.Errorf("two epochs give the figure %v, error %v", f, err)
		}
	}
	if f, err := Accuracies(smlm); f != nil || err != nil {
		t.Errorf("no accuracies give the figure %v, error %v", f, err)
	}
}

// TestTrainings checks that the name of a training run says how the run differs from the model's
// other runs. Runs that differ only in the seed have the same name.
func TestTrainings(t *testing.T) {
	var epochs []*report.Record
	for _, axes := range [][]string{
		{"model", "lm", report.Seed, "1"},
		{"model", "divlstm", "lambda_con", "1", report.Seed, "1"},
		{"model", "divlstm", "lambda_con", "2", report.Seed, "1"},
		{"model", "divlstm", "lambda_con", "2", report.Seed, "2"},
		{"model", "smlm", "lambda_con", "1", "lambda_eps", "0.5", report.Seed, "1"},
		{"model", "smlm", "lambda_con", "1", "lambda_eps", "1", report.Seed, "1"},
	} {
		for _, epoch := range []string{"1", "2"} {
			axes := append(slices.Clip(axes), "epoch", epoch, "kept", map[string]string{"2": "*"}[epoch])
			epochs = append(epochs, record(report.FromEpochs, nil, axes...))
		}
	}
	var got []string
	for _, r := range trainings(epochs) {
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

// TestWholeTicks checks that an axis with the epochs 1 to 15 has a tick at every third epoch.
func TestWholeTicks(t *testing.T) {
	var got []string
	for _, tick := range (wholeTicks{}).Ticks(0.5, 15.5) {
		got = append(got, tick.Label)
	}
	if want := []string{"1", "4", "7", "10", "13"}; !slices.Equal(got, want) {
		t.Errorf("ticks %q, want %q", got, want)
	}
}
