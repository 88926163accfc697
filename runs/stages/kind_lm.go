package stages

import (
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// LM is the language model of the perplexity. It trains, selects and ranks nothing.
const LM stage.Kind = "lm"

var lmKind = stage.Definition{
	Name: LM, Version: 2, Inputs: "prepare, vocab",
	Files: "a model: the language model of the perplexity",
}

// LMSettings is [lm].
type LMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.LMSettings
}
