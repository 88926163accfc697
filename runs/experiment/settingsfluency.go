package experiment

// FluencySettings shape the n-gram language model that says how fluent a fill is among its
// neighbours. It is another kind of model than that of [lm], which judges.
type FluencySettings struct {
	Order int `json:"order" must:"from 1 to 5"` // words of the longest n-gram, at most 5
}
