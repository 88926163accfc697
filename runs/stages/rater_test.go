package stages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// The function invented returns two outputs for each dev sentence of style 0. In one output, the
// first word is replaced by the word in "liked", and the made-up ratings are high. In the other
// output, the first word is replaced by the word in "other", and the ratings are low.
func invented(t *text, liked, other string) (out []guided.Rated) {
	for line, words := range t.Text[corpus.Dev][0] {
		for _, word := range []string{liked, other} {
			r := guided.Rated{
				Direction: t.Labels.Name(corpus.Direction{To: 1}), Line: line + 1, Source: guided.Checksum(words),
				Edits: []guided.Edit{{Place: 0, New: []string{word}}},
			}
			for k := range r.Scores {
				r.Scores[k] = []float64{0, 0}
				if word == liked {
					r.Scores[k] = []float64{2, 2}
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// TestTrainRater: a rater learns from ratings of dev sentences which words the readers like.
// Ratings of other sentences or directions are left out, and equal outputs are pooled. If no rating
// is left, the error is one sentence.
func TestTrainRater(t *testing.T) {
	in := demoInputs(t)
	job := func() *stage.Job { return &stage.Job{Dir: t.TempDir(), Inputs: in, Sources: map[string]string{}} }
	text, err := loadText(job(), corpus.Dev)
	if err != nil {
		t.Fatal(err)
	}
	liked, other := text.vocab.Word(20), text.vocab.Word(21)
	all := invented(text, liked, other)
	strange := all[:3:3]
	for i := range strange {
		strange[i].Source++
	}
	wrongWay := all[3]
	wrongWay.Direction = "nowhere"
	all = append(append(append(all[3:], strange...), all[3], wrongWay), all[4])
	if got, want := len(text.rated(all)), len(all)-3-1-2; got != want {
		t.Errorf("%d rated outputs, want %d", got, want)
	}
	file := func(rated []guided.Rated) string {
		path := filepath.Join(t.TempDir(), "ratings.csv")
		f, err := os.Create(path)
		if err == nil {
			err = guided.WriteRated(f, rated)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := RaterSettings{Seed: 1, Ratings: []string{"the hash"}}
	s.Training = recipe.Training{Epochs: 4, LR: .02, Beta1: .9, BatchTokens: 200, Decay: 1}
	err = torch.Run(func() error {
		torch.Seed(1)
		model := smlm.New(smlm.Config{
			Vocab:     text.vocab.Len(),
			SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 16, FF: 32},
		})
		defer model.Params.Free()
		of := job()
		h := &nn.History{Epochs: make([]nn.Epoch, 1)}
		if err := keep(of, model.Params, model.Config, h, TrainResult{}); err != nil {
			return err
		}
		in["smlm"] = of.Dir
		of = job()
		of.Sources["1"] = file(all)
		if err := trainRater(t.Context(), of, s); err != nil {
			return err
		}
		m, err := loadRater(of.Dir)
		if err != nil {
			return err
		}
		defer m.Params.Free()
		var result TrainResult
		if err := readJSON(of.Dir, "result.json", &result); err != nil {
			return err
		}
		if result.DevAccuracy < 99 {
			t.Errorf("of dev sentences %.1f %% of the pairs are right", result.DevAccuracy)
		}
		of = job()
		of.Sources["1"] = file(strange)
		err = trainRater(t.Context(), of, s)
		if userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), "none of the 3 rated outputs") {
			t.Errorf("ratings of other sentences: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
