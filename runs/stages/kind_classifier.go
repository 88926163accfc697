package stages

import (
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Classifier is the Bi-LSTM that measures TST%. It trains, guides, selects and ranks nothing.
const Classifier stage.Kind = "classifier"

var classifierKind = stage.Definition{
	Name: Classifier, Version: 3, Inputs: "prepare, vocab",
	Files: "a model: see below",
}

// ClassifierSettings is [classifier] but for the models that stand beside it in a table.
type ClassifierSettings struct {
	Seed uint64 `json:"seed"`
	experiment.ClassifierSettings
}

// NewClassifier returns the settings that matter to the evaluation classifier.
func NewClassifier(s *experiment.Settings, seed uint64) ClassifierSettings {
	c := s.Classifier
	c.Models = nil
	return ClassifierSettings{seed, c}
}

// FastText is the bag of n-grams beside the Bi-LSTM in the table of classifiers.
const FastText stage.Kind = "fasttext"

var fastTextKind = stage.Definition{
	Name: FastText, Version: 2, Inputs: "prepare, vocab",
	Files: "a model; there are no checkpoints, it trains in seconds",
}

// FastTextSettings is [fasttext].
type FastTextSettings struct {
	Seed uint64 `json:"seed"`
	experiment.FastTextSettings
}

// Bayes is naive Bayes, a judge of outputs beside the evaluation classifier. It does nothing else.
const Bayes stage.Kind = "bayes"

var bayesKind = stage.Definition{
	Name: Bayes, Version: 2, Inputs: "prepare, vocab",
	Files: "`model.safetensors`; `result.json`: `features`, and `dev_accuracy` in percent",
}

// BayesSettings is empty: counts have none.
type BayesSettings struct{}

// BayesResult is what result.json says of it.
type BayesResult struct {
	Features    int     `json:"features"`
	DevAccuracy float64 `json:"dev_accuracy"`
}
