package kind

import "github.com/smlm-exp/smlm-exp/runs/experiment"

// DivLSTM is the Diversity-LSTM, whose attention or gradients score words.
const DivLSTM Kind = "divlstm"

var divLSTM = Definition{
	Name: DivLSTM, Version: 2, Inputs: "prepare, vocab",
	Files: "a model",
}

// DivLSTMSettings is [divlstm], with lambda_con 0 for vanilla attention.
type DivLSTMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.DivLSTMSettings
}
