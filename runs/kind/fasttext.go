package kind

import "github.com/smlm-exp/smlm-exp/runs/experiment"

// FastText is the bag of n-grams beside the Bi-LSTM in the table of classifiers.
const FastText Kind = "fasttext"

var fastText = Definition{
	Name: FastText, Version: 2, Inputs: "prepare, vocab",
	Files: "a model; there are no checkpoints, it trains in seconds",
}

// FastTextSettings is [fasttext].
type FastTextSettings struct {
	Seed uint64 `json:"seed"`
	experiment.FastTextSettings
}
