package experiment

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// GuideSettings shape the word CNN that guides transfer models while they refill (Kim 2014). It is
// trained on human text, and never measures an output: that is the Bi-LSTM's part.
type GuideSettings struct {
	recipe.Training
	recipe.CNNShape
}

// FluencySettings shape the n-gram language model that says how fluent a fill is among its
// neighbours. It is another kind of model than that of [lm], which judges.
type FluencySettings struct {
	Order int `json:"order" must:"from 1 to 5"` // words of the longest n-gram, at most 5
}
