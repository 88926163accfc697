package stages

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestGuide trains guides on the demo corpus, without its test set, with a class for mixed texts
// and without, and reads them back.
func TestGuide(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		testGuide(t, mixed)
	}
}

func testGuide(t *testing.T, mixed bool) {
	in, out := demoInputs(t), t.TempDir()
	delete(in, "test")
	of := experiment.Settings{Mixed: recipe.Mixed{
		Share: .4, Joined: 1, Exchanged: 1, Restored: 1, Negated: 1, LogOdds: .7, Joiners: []string{"and"},
		Negations: []string{"not"},
	}, Guide: experiment.GuideSettings{
		Training: recipe.Training{Epochs: 6, LR: .01, Beta1: .9, Beta2: .999, Dropout: .3, BatchTokens: 300},
		CNNShape: recipe.CNNShape{Embedding: 20, Filters: 10, Widths: []int{1, 2, 3}, WordDropout: .1},
		Mixed:    mixed,
	}}
	settings, err := json.Marshal(NewGuide(&of, 1))
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
		dev, classes := text.encoded(corpus.Dev), 2
		if mixed {
			classes = 3
			_, dev = text.withMixed(of.Mixed, 1, text.encoded(corpus.Train), dev)
		}
		again, err := m.Evaluate(t.Context(), dev)
		if again.Loss != result.DevLoss || again.Accuracy != result.DevAccuracy {
			t.Errorf("the guide read has %+v on the dev set, the result says %+v", again, result)
		}
		if err != nil {
			return err
		}
		logs, err := m.LogProbs(t.Context(), dev.IDs)
		right := make([]float64, classes)
		for i, l := range logs {
			if len(l) != classes {
				t.Fatalf("mixed %t: the guide knows %d classes", mixed, len(l))
			}
			if slices.Index(l, slices.Max(l)) == dev.Styles[i] {
				right[dev.Styles[i]]++
			}
		}
		for c, n := range right {
			if all := len(lists.Where(dev.Styles, func(s int) bool { return s == c })); n < .8*float64(all) {
				t.Errorf("mixed %t: the guide knows %v of %d sentences of class %d", mixed, n, all, c)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
