package experiment

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// GuideSettings shape the word CNN that guides transfer models while they refill (Kim 2014). It is
// trained on human text, and never measures an output: that is the Bi-LSTM's part.
type GuideSettings struct {
	recipe.Training
	Embedding int `json:"embedding" must:"from 1 to 16384"`
	Filters   int `json:"filters" must:"from 1 to 16384"` // of each width; 100 in Kim 2014
	// Widths is words that a filter spans, a list; 3, 4 and 5 in Kim 2014
	Widths []int `json:"widths" must:"from 1 to 16384"`
	// WordDropout is the share of words that training reads as <unk>
	WordDropout float64 `json:"word_dropout" must:"at least 0 and below 1"`
}

// FluencySettings shape the n-gram language model that says how fluent a fill is among its
// neighbours. It is another kind of model than that of [lm], which judges.
type FluencySettings struct {
	Order int `json:"order" must:"from 1 to 5"` // words of the longest n-gram, at most 5
}
