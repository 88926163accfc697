package kind

// TrainResult is result.json of every trained model.
type TrainResult struct {
	Parameters int `json:"parameters"`
	// AuthorsWay is of an SMLM, with what their count includes and nothing uses.
	AuthorsWay  int     `json:"parameters_by_the_authors_count,omitempty"`
	Epochs      int     `json:"epochs"` // run
	BestEpoch   int     `json:"best_epoch"`
	Steps       int     `json:"steps"`
	TrainTokens int     `json:"train_tokens"`
	Seconds     float64 `json:"seconds"`
	DevLoss     float64 `json:"dev_loss"`
	DevAccuracy float64 `json:"dev_accuracy,omitempty"` // percent; classifiers
	Conicity    float64 `json:"conicity,omitempty"`     // mean over the dev set; Diversity-LSTM

	Attention *AttentionHealth `json:"attention,omitempty"` // Diversity-LSTM
}
