package kind

import "github.com/smlm-exp/smlm-exp/runs/experiment"

// Classifier is the Bi-LSTM that measures TST%. It trains, guides, selects and ranks nothing.
const Classifier Kind = "classifier"

var classifier = Definition{
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
