package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

func trainClassifier(ctx context.Context, job *plan.Job, s kind.ClassifierSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	m := classifier.New(
		classifier.Config{Vocab: t.vocab.Len(), Embedding: s.Embedding, Hidden: s.Hidden, Dropout: s.Dropout},
	)
	defer m.Params.Free()
	train := t.labelled(corpus.Train)
	h, err := m.Train(ctx, train, t.labelled(corpus.Dev), r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, kind.TrainResult{TrainTokens: tokens(train.IDs)})
}

func loadClassifier(dir string) (*classifier.Model, error) {
	return loadModel(dir, classifier.New, func(m *classifier.Model) *nn.Params { return m.Params })
}
