package stages

// Unexported names for the tests in package stages_test, which test whole studies and exports.
// These tests are in another package, because they import packages that import this one.
var (
	WriteJSON     = writeJSON
	ReadDataset   = dataset
	KeepScores    = keepScores
	UntrainedAs   = untrainedAs
	LoadDivLSTM   = loadDivLSTM
	LoadSMLM      = loadSMLM
	LoadGenerator = loadGenerator
)
