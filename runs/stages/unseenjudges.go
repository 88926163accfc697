package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// UnseenFastText is a bag of n-grams and UnseenCNN a word CNN that are trained on the unseen text
// alone. Each measures TST% unseen, or with a class for mixed texts TST% unseen whole, and does
// nothing else.
const (
	UnseenFastText stage.Name = "unseen-fasttext"
	UnseenCNN      stage.Name = "unseen-cnn"
)

var unseenFastTextStage = stage.Definition{
	Name: UnseenFastText, Version: 1, Trains: true, Inputs: "prepare (an unseen text), vocab",
	Files: "as `fasttext`",
	Run:   of(trainUnseenFastText),
}

var unseenCNNStage = stage.Definition{
	Name: UnseenCNN, Version: 1, Trains: true, Inputs: "prepare (an unseen text), vocab",
	Files: "a model",
	Run:   onTorch(of(trainUnseenCNN)),
}

// UnseenMixed says whether a judge of the unseen text has a class for mixed texts, and how their
// examples are made.
type UnseenMixed struct {
	Whole bool         `json:"whole,omitempty"`
	Made  recipe.Mixed `json:"made,omitzero"` // [mixed]
}

// with returns the training and dev sentences of a judge of this kind, and how many classes it has,
func (m UnseenMixed) with(t *text, seed uint64) (train, dev corpus.Encoded) {
	train, dev = t.encoded(corpus.Train), t.encoded(corpus.Dev)
	if !m.Whole {
		return train, dev
	}
	return t.withMixed(m.Made, seed, train, dev)
}

func newUnseenMixed(s *experiment.Settings, whole bool) UnseenMixed {
	if !whole {
		return UnseenMixed{}
	}
	return UnseenMixed{true, s.Mixed}
}

// unseenFastTextSettings is [fasttext].
type unseenFastTextSettings struct {
	FastTextSettings
	UnseenMixed
}

// NewUnseenFastText returns the settings that matter to the bag of n-grams on the unseen text.
func NewUnseenFastText(s *experiment.Settings, seed uint64, whole bool) unseenFastTextSettings {
	return unseenFastTextSettings{FastTextSettings{seed, s.FastText}, newUnseenMixed(s, whole)}
}

// unseenSteps is how many steps the bag of n-grams makes at least, each of which is a sentence: an
// unseen text may be a twentieth of the text that [fasttext] is set for. Five epochs of 8,000
// sentences of IMDb were too few (docs/decisions/034).
const unseenSteps = 200_000

func trainUnseenFastText(ctx context.Context, job *stage.Job, s unseenFastTextSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	train, dev := s.with(t, s.Seed)
	n := max(1, len(train.IDs))
	s.Epochs = max(s.Epochs, (unseenSteps+n-1)/n)
	return keepFastText(ctx, job, s.FastTextSettings, t, s.Whole, train, dev)
}

// unseenCNNSettings is [cnn].
type unseenCNNSettings struct {
	Seed uint64 `json:"seed"`
	experiment.CNNSettings
	UnseenMixed
}

// NewUnseenCNN returns the settings that matter to the word CNN on the unseen text.
func NewUnseenCNN(s *experiment.Settings, seed uint64, whole bool) unseenCNNSettings {
	return unseenCNNSettings{seed, s.CNN, newUnseenMixed(s, whole)}
}

func trainUnseenCNN(ctx context.Context, job *stage.Job, s unseenCNNSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	train, dev := s.with(t, s.Seed)
	return trainCNN(ctx, job, cnnSettings{s.Seed, s.Training, s.CNNShape}, t, s.Whole, train, dev)
}
