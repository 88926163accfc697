package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// Accuracy asks a classifier of human text, any of the four kinds, about the test sentences. That
// is no part of its training, which does not see them.
const Accuracy stage.Kind = "accuracy"

var accuracyKind = stage.Definition{
	Name: Accuracy, Version: 1, Inputs: "test, vocab, model: a classifier, fasttext, bayes or divlstm",
	Files: "`result.json`: `test_accuracy` in percent",
}

// AccuracySettings is empty: all that matters is in the inputs.
type AccuracySettings struct{}

// AccuracyResult is result.json.
type AccuracyResult struct {
	TestAcc float64 `json:"test_accuracy"` // percent
}
