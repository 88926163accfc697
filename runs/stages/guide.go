package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/pretrained"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// Guide is what guides transfer models while they refill: a word CNN, or an encoder. It measures
// nothing.
const Guide stage.Name = "guide"

var guideStage = stage.Definition{
	Name: Guide, Version: 1, Trains: true, Inputs: "prepare, vocab, [encoder]",
	Files: "a model",
	Run:   onTorch(of(trainGuide)),
}

// guideSettings is [guide], and [mixed] where the guide has a class for mixed texts.
type guideSettings struct {
	Seed uint64 `json:"seed"`
	experiment.GuideSettings
	Made recipe.Mixed `json:"made,omitzero"`
}

// NewGuide returns the settings that matter to the guide.
func NewGuide(s *experiment.Settings, seed uint64) guideSettings {
	g := guideSettings{Seed: seed, GuideSettings: s.Guide}
	if g.Mixed {
		g.Made = s.Mixed
	}
	if g.Kind == experiment.EncoderKind {
		g.Pretrained, g.CNNShape = "", recipe.CNNShape{} // the folder is an input, and has the shape
	} else {
		g.Kind, g.PretrainedStart = "", experiment.PretrainedStart{}
	}
	return g
}

// trainGuide fits the word CNN that guides transfer models.
func trainGuide(ctx context.Context, job *stage.Job, s guideSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	train, dev := t.encoded(corpus.Train), t.encoded(corpus.Dev)
	if s.Mixed {
		train, dev = t.withMixed(s.Made, s.Seed, train, dev)
	}
	if s.Kind == experiment.EncoderKind {
		return trainStyles(ctx, job, stylesSettings{s.Seed, s.PretrainedStart, s.Training}, t, s.Mixed, train, dev)
	}
	return trainCNN(ctx, job, cnnSettings{s.Seed, s.Training, s.CNNShape}, t, s.Mixed, train, dev)
}

// cnnSettings are those of any word CNN.
type cnnSettings struct {
	seed uint64
	recipe.Training
	recipe.CNNShape
}

// trainCNN trains and keeps a word CNN of the styles, which may know mixed texts too.
func trainCNN(
	ctx context.Context, job *stage.Job, s cnnSettings, t *text, mixed bool, train, dev corpus.Encoded,
) error {
	c := classifier.CNNConfig{
		Vocab: t.vocab.Len(), CNNShape: s.CNNShape, Dropout: s.Dropout, Classes: t.classes(mixed), Mixed: mixed,
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

// loadGuide loads the guide, of either kind.
func loadGuide(dir string) (styleModel, error) {
	if encoder, err := isEncoder(dir); err != nil || encoder {
		return loadStyles(dir)
	}
	m, err := loadCNN(dir)
	if err != nil {
		return styleModel{}, err
	}
	return styleModel{m, m.Params.Free}, nil
}

// loadFrozenGuide loads the guide, of either kind, as a judge whose weights stand still.
func loadFrozenGuide(dir string) (guide smlm.Judge, free func(), err error) {
	if encoder, err := isEncoder(dir); err != nil {
		return nil, nil, err
	} else if encoder {
		m, err := loadModel(dir, pretrained.NewStyles, func(m *pretrained.Styles) *nn.Params { return m.Params })
		if err != nil {
			return nil, nil, err
		}
		m.Params.Freeze("")
		return m, m.Params.Free, nil
	}
	m, err := loadCNN(dir)
	if err != nil {
		return nil, nil, err
	}
	m.Params.Freeze("")
	return m, m.Params.Free, nil
}

// loadCNN loads a word CNN: the guide, or a judge of its kind.
func loadCNN(dir string) (*classifier.CNN, error) {
	return loadModel(dir, classifier.NewCNN, func(m *classifier.CNN) *nn.Params { return m.Params })
}
