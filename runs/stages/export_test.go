package stages

// What tests of whole studies and of exports, which import packages above this one, need of it.
var (
	WriteJSON     = writeJSON
	ReadDataset   = dataset
	KeepScores    = keepScores
	UntrainedAs   = untrainedAs
	LoadDivLSTM   = loadDivLSTM
	LoadSMLM      = loadSMLM
	LoadGenerator = loadGenerator
)
