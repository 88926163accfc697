package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// trainFastText fits the bag of n-grams that stands beside the Bi-LSTM in the classifier table.
func trainFastText(ctx context.Context, job *plan.Job, s kind.FastTextSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	c := classifier.FastTextConfig{Vocab: t.vocab.Len(), Dim: s.Dim, Ngrams: s.Ngrams, Buckets: s.Buckets}
	if err := c.Check(); err != nil {
		return err
	}
	m := classifier.NewFastText(c, s.Seed)
	train := t.labelled(corpus.Train)
	h, err := m.Train(ctx, train, t.labelled(corpus.Dev), classifier.FastTextRecipe{
		Epochs: s.Epochs, LR: s.LR, Seed: s.Seed, Progress: job.Progress,
	})
	if err != nil {
		return err
	}
	return keepModel(job, m.Save, c, h, kind.TrainResult{
		Parameters: m.Parameters(), TrainTokens: tokens(train.IDs),
	})
}

func loadFastText(dir string) (*classifier.FastText, error) {
	var c classifier.FastTextConfig
	if err := readJSON(dir, "model.json", &c); err != nil {
		return nil, err
	}
	return classifier.LoadFastText(filepath.Join(dir, "model.safetensors"), c)
}
