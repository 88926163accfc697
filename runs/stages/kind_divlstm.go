package stages

import (
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// DivLSTM is the Diversity-LSTM, whose attention or gradients score words.
const DivLSTM stage.Kind = "divlstm"

var divLSTMKind = stage.Definition{
	Name: DivLSTM, Version: 3, Inputs: "prepare, vocab; selector where it may be restarted",
	Files: "a model; `result.json` has `attention`: whether that is healthy",
}

// DivLSTMSettings is [divlstm], with lambda_con 0 for vanilla attention.
type DivLSTMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.DivLSTMSettings
}

// AttentionHealth says whether attention lies on words that carry style, over the dev set. A
// training may end with attention on the full stop of every sentence of one style, at equal
// accuracy.
type AttentionHealth struct {
	Entropy  float64 `json:"entropy"`   // mean of -sum a log a / log n, 0-1
	TopShare float64 `json:"top_share"` // mean attention of the most-attended word
	// Found is, by style, the evidence that leaving the most-attended word of each sentence out
	// takes from the selector, as a share of what the best word to leave out would: 1 where
	// attention is always on the word that says most, about 0 where it is on words that say
	// nothing. Evidence is the log odds of the sentence's own style. Nil where no selector was
	// asked.
	Found    *[2]float64 `json:"found,omitempty"`
	Restarts int         `json:"restarts,omitempty"` // trainings beside this one that were thrown away
}

// HealthyFound is the share that the most-attended words of each style must take.
const HealthyFound = 0.25

// Healthy tells whether the most-attended words carry style, as far as that was asked.
func (h *AttentionHealth) Healthy() bool { return h.Found == nil || h.Least() >= HealthyFound }

// Least is what was found in the style where that is less; a selector was asked.
func (h *AttentionHealth) Least() float64 { return min(h.Found[0], h.Found[1]) }
