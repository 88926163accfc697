package kind

// Bayes is naive Bayes, a judge of outputs beside the evaluation classifier. It does nothing else.
const Bayes Kind = "bayes"

var bayes = Definition{
	Name: Bayes, Version: 2, Inputs: "prepare, vocab",
	Files: "`model.safetensors`; `result.json`: `features`, and `dev_accuracy` in percent",
}

// BayesSettings is empty: counts have none.
type BayesSettings struct{}

// BayesResult is what result.json says of it.
type BayesResult struct {
	Features    int     `json:"features"`
	DevAccuracy float64 `json:"dev_accuracy"`
}
