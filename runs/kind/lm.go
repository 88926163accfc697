package kind

import "github.com/smlm-exp/smlm-exp/runs/experiment"

// LM is the language model of the perplexity. It trains, selects and ranks nothing.
const LM Kind = "lm"

var lm = Definition{
	Name: LM, Version: 2, Inputs: "prepare, vocab",
	Files: "a model: the language model of the perplexity",
}

// LMSettings is [lm].
type LMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.LMSettings
}
