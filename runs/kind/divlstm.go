package kind

import "github.com/smlm-exp/smlm-exp/runs/experiment"

// DivLSTM is the Diversity-LSTM, whose attention or gradients score words.
const DivLSTM Kind = "divlstm"

var divLSTM = Definition{
	Name: DivLSTM, Version: 2, Inputs: "prepare, vocab; selector where it may be restarted",
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
	// Worth is, by style, how many points of the selector's accuracy leaving the most-attended word
	// out costs; nil where no selector was asked.
	Worth    *[2]float64 `json:"worth,omitempty"`
	Restarts int         `json:"restarts,omitempty"` // trainings before this one that were thrown away
}

// HealthyWorth is what the most-attended words of each style must be worth.
const HealthyWorth = 5

// Healthy tells whether the most-attended words carry style, as far as that was asked.
func (h *AttentionHealth) Healthy() bool {
	return h.Worth == nil || min(h.Worth[0], h.Worth[1]) >= HealthyWorth
}
