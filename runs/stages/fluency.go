package stages

import (
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Fluency is the n-gram language model by which fills are chosen. It judges nothing: LM does.
const Fluency stage.Kind = "fluency"

var fluencyKind = stage.Definition{
	Name: Fluency, Version: 1, Inputs: "prepare, vocab",
	Files: "`model.safetensors`: the counts of an interpolated modified Kneser-Ney language model, trained on the " +
		"training text of both styles; `result.json`: `ngrams`, how many of each length, from one word on, " +
		"`train_tokens`, `dev_perplexity`",
}

// FluencySettings is [fluency].
type FluencySettings struct {
	experiment.FluencySettings
}

// FluencyResult is its result.json.
type FluencyResult struct {
	NGrams        []int   `json:"ngrams"`
	TrainTokens   int     `json:"train_tokens"`
	DevPerplexity float64 `json:"dev_perplexity"`
}
