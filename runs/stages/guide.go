package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Guide is the stage that trains the word CNN that guides the search for edits. This CNN never
// measures outputs.
const Guide stage.Name = "guide"

var guideStage = stage.Definition{
	Name: Guide, Version: 1, Trains: true, Inputs: "prepare, vocab",
	Settings: func(p stage.Point) any { return GuideSettings{p.Seed, p.Settings.Guide} }, Reads: trainText,
	Files: "a model",
	Run:   onTorch(of(trainGuide)),
}

// GuideSettings has the keys of [guide].
type GuideSettings struct {
	Seed uint64 `json:"seed"`
	experiment.GuideSettings
}

// trainGuide trains the guide.
func trainGuide(ctx context.Context, job *stage.Job, s GuideSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	how := cnnSettings{s.Seed, s.Training, s.CNNShape}
	return trainCNN(ctx, job, how, t, t.encoded(corpus.Train), t.encoded(corpus.Dev))
}

// cnnSettings are the settings of any word CNN.
type cnnSettings struct {
	seed uint64
	recipe.Training
	recipe.CNNShape
}

// trainCNN trains and saves a word CNN whose classes are the styles.
func trainCNN(ctx context.Context, job *stage.Job, s cnnSettings, t *text, train, dev corpus.Encoded) error {
	c := classifier.CNNConfig{
		Vocab: t.vocab.Len(), CNNShape: s.CNNShape, Dropout: s.Dropout, Classes: t.classes(),
	}
	if err := c.Check(); err != nil {
		return err
	}
	r := training(job, s.Training, s.seed)
	m := classifier.NewCNN(c)
	defer m.Params.Free()
	h, err := m.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train.IDs)})
}

// loadCNN loads a word CNN, the guide or a judge, from a stage's folder.
func loadCNN(dir string) (*classifier.CNN, error) {
	return loadModel(dir, classifier.NewCNN, func(m *classifier.CNN) *nn.Params { return m.Params })
}
