package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Classifier is the stage that trains the Bi-LSTM that measures TST%, the share of outputs in the
// target style. The Bi-LSTM never trains, guides, selects or ranks a transfer model.
const Classifier stage.Name = "classifier"

var classifierStage = stage.Definition{
	Name: Classifier, Version: 3, Trains: true, Inputs: "prepare, vocab",
	Settings: func(p stage.Point) any { return classifierSettings{p.FirstSeed(), p.Settings.Classifier} },
	Reads:    trainText,
	Files:    "a model",
	Run:      onTorch(of(trainClassifier)),
}

// classifierSettings has the keys of [classifier].
type classifierSettings struct {
	Seed uint64 `json:"seed"`
	experiment.ClassifierSettings
}

// FastText is the stage that trains the fastText-like classifier, which reads sentences as bags of
// n-grams. The program selects settings with it, and tables can show it as a further judge of
// style.
const FastText stage.Name = "fasttext"

var fastTextStage = stage.Definition{
	Name: FastText, Version: 3, Trains: true, Inputs: "prepare, vocab",
	Settings: func(p stage.Point) any { return FastTextSettings{p.FirstSeed(), p.Settings.FastText} }, Reads: trainText,
	Files: "a model, without checkpoints",
	Run:   of(trainFastText),
}

// FastTextSettings has the keys of [fasttext].
type FastTextSettings struct {
	Seed uint64 `json:"seed"`
	experiment.FastTextSettings
}

func trainClassifier(ctx context.Context, job *stage.Job, s classifierSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	r := training(job, s.Training, s.Seed)
	m := classifier.NewBiLSTM(classifier.BiLSTMConfig{
		Vocab: t.vocab.Len(), BiLSTMShape: s.BiLSTMShape, Dropout: s.Dropout, Classes: t.classes(),
	})
	defer m.Params.Free()
	train := t.encoded(corpus.Train)
	h, err := m.Train(ctx, train, t.encoded(corpus.Dev), r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{TrainTokens: tokens(train.IDs)})
}

// loadClassifier loads the evaluation classifier from a stage's folder.
func loadClassifier(dir string) (*classifier.BiLSTM, error) {
	return loadModel(dir, classifier.NewBiLSTM, func(m *classifier.BiLSTM) *nn.Params { return m.Params })
}

// trainFastText trains the fastText-like classifier.
func trainFastText(ctx context.Context, job *stage.Job, s FastTextSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	c := classifier.FastTextConfig{Vocab: t.vocab.Len(), FastTextShape: s.FastTextShape, Classes: t.classes()}
	if err := c.Check(); err != nil {
		return err
	}
	m := classifier.NewFastText(c, s.Seed)
	train := t.encoded(corpus.Train)
	h, err := m.Train(ctx, train, t.encoded(corpus.Dev), classifier.FastTextRecipe{
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
