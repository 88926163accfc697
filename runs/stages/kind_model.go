package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

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

// Trained are the kinds that train by epochs.
var Trained = []stage.Kind{Classifier, FastText, DivLSTM, Guide, SMLM, SMLMG, SMLMFT, LM}

// History is history.json of such a stage, as far as others than the models ask for it.
type History struct {
	Epochs []Epoch `json:"epochs"`
	Best   int     `json:"best"` // whose weights were kept, from 0
}

// Epoch is an epoch of a History, and of epochs.json while a training runs; what is nil is not
// known.
type Epoch struct {
	Epoch     int      `json:"epoch"` // from 1
	Steps     int      `json:"steps"`
	TrainLoss *float64 `json:"train_loss"`
	Dev       struct {
		Loss     *float64 `json:"loss"`
		Accuracy *float64 `json:"accuracy"`
		Conicity *float64 `json:"conicity"`
	} `json:"dev"`
	Seconds float64 `json:"seconds"`
}
