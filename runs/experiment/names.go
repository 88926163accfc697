// Package experiment reads an experiment file: text to checked settings. Load refuses what is wrong
// with file, line and key; Experiment.Points spreads the sweep axes, the variants and the seeds
// into points, each with all its settings. The structs of settings.go and its neighbours are the
// schema: their comments are the text of docs/settings.md.
package experiment

// The names that lists may hold, and Profiles: "paper" has the formulas as printed but for three
// values (docs/switches.md), "authors" the published code with each quirk that is a switch here.
var (
	Profiles    = []string{"paper", "authors"}
	Classifiers = []string{"bi-lstm", "fasttext"}
	Judges      = []string{"fasttext", "bayes"}
	Models      = []string{"smlm", "smlm-g", "smlm-ft"}
	Tables      = []string{
		"main", "results", "search", "selection", "seeds", "content", "bleu", "intervals", "significance", "datasets",
		"classifier", "divlstm", "attribution", "training", "switches", "human", "examples",
	}
	Figures = []string{"lambda_eps", "tradeoff", "training", "masked_share"}
	// Trainings are the kinds of stages that lead a Slurm task.
	Trainings = []string{"classifier", "guide", "divlstm", "smlm", "smlm-g", "smlm-ft", "lm"}
)
