package stages

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// TestGuide trains a guide on the demo corpus, whose test files cannot be read, and reads it back.
func TestGuide(t *testing.T) {
	prepared, vocabulary, out := t.TempDir(), t.TempDir(), t.TempDir()
	d := corpus.Demo()
	v := corpus.BuildVocab(d.Text[corpus.Train][:], 5000)
	err := errors.Join(
		d.Save(prepared), v.Save(filepath.Join(vocabulary, "vocab.txt")),
		writeJSON(prepared, "counts.json", kind.Counts{Name: "demo", Labels: d.Labels}),
	)
	for style := range 2 { // of nothing that could be read
		path := filepath.Join(prepared, corpus.FileName(corpus.Test, style))
		err = errors.Join(err, os.WriteFile(path, []byte{0xff}, 0o600))
	}
	settings, e := json.Marshal(kind.GuideSettings{Seed: 1, GuideSettings: experiment.GuideSettings{
		Training:  recipe.Training{Epochs: 6, LR: .01, Beta1: .9, Beta2: .999, Dropout: .3, BatchTokens: 300},
		Embedding: 20, Filters: 10, Widths: []int{1, 2, 3}, WordDropout: .1,
	}})
	if err = errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	job := &plan.Job{
		Kind: kind.Guide, Dir: out, Inputs: map[string]string{"prepare": prepared, "vocab": vocabulary},
		Settings: settings, Threads: 1, Devices: "cpu",
	}
	if err := (Torch{}).StageFuncs()[kind.Guide](t.Context(), job); err != nil {
		t.Fatal(err)
	}
	var result kind.TrainResult
	if err := readJSON(out, "result.json", &result); err != nil {
		t.Fatal(err)
	}
	if result.DevAccuracy < 90 || result.TestAcc != 0 || result.TrainTokens == 0 {
		t.Errorf("the result is %+v", result)
	}
	err = torch.Run(func() error {
		m, err := loadGuide(out)
		if err != nil {
			return err
		}
		defer m.Params.Free()
		dev := (&text{d, v}).labelled(corpus.Dev)
		again, err := m.Evaluate(t.Context(), dev)
		if again.Loss != result.DevLoss || again.Accuracy != result.DevAccuracy {
			t.Errorf("the guide read has %+v on the dev set, the result says %+v", again, result)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
