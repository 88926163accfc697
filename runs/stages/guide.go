package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Guide is the stage that trains the word CNN that guides the search for edits. This CNN never
// measures outputs.
const Guide stage.Name = "guide"

var guideStage = stage.Definition{
	Name: Guide, Version: 1, Trains: true, Inputs: "prepare, vocab",
	Settings: func(p stage.Point) any {
		return cnnSettings{p.Seed, p.Settings.Guide.Training, p.Settings.Guide.CNNShape}
	},
	Reads: trainText,
	Files: "a model",
	Run:   onTorch(of(trainCNN)),
}

// cnnSettings are the settings of a word CNN.
type cnnSettings struct {
	Seed uint64 `json:"seed"`
	recipe.Training
	recipe.CNNShape
}

// trainCNN trains and saves a word CNN whose classes are the styles.
func trainCNN(ctx context.Context, job *stage.Job, s cnnSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	c := classifier.CNNConfig{
		Vocab: t.vocab.Len(), CNNShape: s.CNNShape, Dropout: s.Dropout, Classes: t.classes(),
	}
	if err := c.Check(); err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	m := classifier.NewCNN(c)
	defer m.Params.Free()
	train := t.encoded(corpus.Train)
	h, err := m.Train(ctx, train, t.encoded(corpus.Dev), r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train.IDs)})
}

// loadCNN loads a word CNN, the guide or a judge, from a stage's folder.
func loadCNN(dir string) (*classifier.CNN, error) {
	return loadModel(dir, classifier.NewCNN, func(m *classifier.CNN) *nn.Params { return m.Params })
}
