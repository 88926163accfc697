package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Classifier is the Bi-LSTM that measures TST%. It trains, guides, selects and ranks nothing.
const Classifier stage.Name = "classifier"

var classifierStage = stage.Definition{
	Name: Classifier, Version: 3, Trains: true, Inputs: "prepare, vocab",
	Files: "a model",
	Run:   onTorch(of(trainClassifier)),
}

// classifierSettings is [classifier] but for the models that stand beside it in a table.
type classifierSettings struct {
	Seed uint64 `json:"seed"`
	experiment.ClassifierSettings
}

// NewClassifier returns the settings that matter to the evaluation classifier.
func NewClassifier(s *experiment.Settings, seed uint64) classifierSettings {
	c := s.Classifier
	c.Models = nil
	return classifierSettings{seed, c}
}

// FastText is the bag of n-grams beside the Bi-LSTM in the table of classifiers.
const FastText stage.Name = "fasttext"

var fastTextStage = stage.Definition{
	Name: FastText, Version: 2, Trains: true, Inputs: "prepare, vocab",
	Files: "a model, without checkpoints",
	Run:   of(trainFastText),
}

// FastTextSettings is [fasttext].
type FastTextSettings struct {
	Seed uint64 `json:"seed"`
	experiment.FastTextSettings
}

// Whole is a Bi-LSTM with a class for mixed texts, which measures TST% whole. It does nothing else.
const Whole stage.Name = "whole"

var wholeStage = stage.Definition{
	Name: Whole, Version: 1, Trains: true, Inputs: "prepare, vocab",
	Files: "a model",
	Run:   onTorch(of(trainWhole)),
}

// wholeSettings is [classifier] but for the models that stand beside it in a table, and [mixed].
type wholeSettings struct {
	Seed uint64 `json:"seed"`
	experiment.ClassifierSettings
	Mixed recipe.Mixed `json:"mixed"`
}

// NewWhole returns the settings that matter to the judge of TST% whole.
func NewWhole(s *experiment.Settings, seed uint64) wholeSettings {
	c := NewClassifier(s, seed)
	return wholeSettings{c.Seed, c.ClassifierSettings, s.Mixed}
}

func trainClassifier(ctx context.Context, job *stage.Job, s classifierSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	return trainJudge(ctx, job, s, t, false, t.encoded(corpus.Train), t.encoded(corpus.Dev))
}

// trainWhole fits a classifier to the training text and to examples of mixed texts.
func trainWhole(ctx context.Context, job *stage.Job, s wholeSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	train, dev := t.withMixed(s.Mixed, s.Seed, t.encoded(corpus.Train), t.encoded(corpus.Dev))
	return trainJudge(ctx, job, classifierSettings{s.Seed, s.ClassifierSettings}, t, true, train, dev)
}

// withMixed adds examples of mixed texts to training and dev sentences.
func (t *text) withMixed(how recipe.Mixed, seed uint64, human, dev corpus.Encoded) (train, more corpus.Encoded) {
	m := classifier.NewMixer(human, len(t.Labels), t.vocab, how)
	return m.With(human, seed), m.With(dev, seed+1)
}

// trainJudge trains and keeps a classifier, which may know mixed texts too.
func trainJudge(
	ctx context.Context, job *stage.Job, s classifierSettings, t *text, mixed bool, train, dev corpus.Encoded,
) error {
	r := training(job, s.Training, s.Seed)
	m := classifier.NewBiLSTM(classifier.BiLSTMConfig{
		Vocab: t.vocab.Len(), BiLSTMShape: s.BiLSTMShape, Dropout: s.Dropout, Classes: t.classes(mixed),
	})
	defer m.Params.Free()
	h, err := m.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train.IDs)})
}

// loadClassifier loads the evaluation classifier, or the judge of TST% whole.
func loadClassifier(dir string) (*classifier.BiLSTM, error) {
	return loadModel(dir, classifier.NewBiLSTM, func(m *classifier.BiLSTM) *nn.Params { return m.Params })
}

// trainFastText fits the bag of n-grams that stands beside the Bi-LSTM in the classifier table.
func trainFastText(ctx context.Context, job *stage.Job, s FastTextSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	return keepFastText(ctx, job, s, t, false, t.encoded(corpus.Train), t.encoded(corpus.Dev))
}

// keepFastText trains and keeps a bag of n-grams, which may know mixed texts too.
func keepFastText(
	ctx context.Context, job *stage.Job, s FastTextSettings, t *text, mixed bool, train, dev corpus.Encoded,
) error {
	c := classifier.FastTextConfig{Vocab: t.vocab.Len(), FastTextShape: s.FastTextShape, Classes: t.classes(mixed)}
	if err := c.Check(); err != nil {
		return err
	}
	m := classifier.NewFastText(c, s.Seed)
	h, err := m.Train(ctx, train, dev, classifier.FastTextRecipe{
		Epochs: s.Epochs, LR: s.LR, Seed: s.Seed, Progress: job.Progress,
	})
	if err != nil {
		return err
	}
	return keepModel(job, m.Save, c, h, TrainResult{
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
