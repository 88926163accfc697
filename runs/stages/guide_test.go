package stages

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestGuide trains a guide on the demo corpus, without its test set, and reads it back.
func TestGuide(t *testing.T) {
	in, out := demoInputs(t), t.TempDir()
	delete(in, "test")
	settings, err := json.Marshal(cnnSettings{
		Seed:     1,
		Training: recipe.Training{Epochs: 6, LR: .01, Beta1: .9, Dropout: .3, BatchTokens: 300},
		CNNShape: recipe.CNNShape{Embedding: 20, Filters: 10, Widths: []int{1, 2, 3}, WordDropout: .1},
	})
	if err != nil {
		t.Fatal(err)
	}
	job := &stage.Job{
		Name: Guide, Dir: out, Inputs: in, Settings: settings, Threads: 1, Devices: "cpu",
	}
	if err := Run(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	var result TrainResult
	if err := readJSON(out, "result.json", &result); err != nil {
		t.Fatal(err)
	}
	if result.DevAccuracy < 90 || result.TrainTokens == 0 {
		t.Errorf("the result is %+v", result)
	}
	err = torch.Run(func() error {
		m, err := loadCNN(out)
		if err != nil {
			return err
		}
		defer m.Params.Free()
		text, err := loadText(job, corpus.Train, corpus.Dev)
		if err != nil {
			return err
		}
		dev := text.encoded(corpus.Dev)
		again, err := m.Evaluate(t.Context(), dev)
		if again.Loss != result.DevLoss || again.Accuracy != result.DevAccuracy {
			t.Errorf("the guide read has %+v on the dev set, the result says %+v", again, result)
		}
		if err != nil {
			return err
		}
		logs, err := m.LogProbs(t.Context(), dev.IDs)
		right := make([]float64, 2)
		for i, l := range logs {
			if len(l) != 2 {
				t.Fatalf("the guide knows %d classes", len(l))
			}
			if slices.Index(l, slices.Max(l)) == dev.Styles[i] {
				right[dev.Styles[i]]++
			}
		}
		for c, n := range right {
			if all := len(lists.Filter(dev.Styles, func(s int) bool { return s == c })); n < .8*float64(all) {
				t.Errorf("the guide knows %v of %d sentences of class %d", n, all, c)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
