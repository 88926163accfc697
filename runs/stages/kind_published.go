package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// Published measures the outputs of a published system, or the human references.
const Published stage.Kind = "published"

var publishedKind = stage.Definition{
	Name: Published, Version: 4, Inputs: "those of `score` without transfer",
	Files: "the same of a published system's outputs, or of the human references",
}

// HumanReferences is the system name of the row that scores the data set's own references as
// outputs.
const HumanReferences = "human references"

// PublishedSettings is one system's outputs. There is nothing to compare the references with: no
// r-BLEU.
type PublishedSettings struct {
	Outputs
	ScoreSettings
}
