package experiment

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// LMSettings shape the LSTM language model whose perplexity judges outputs. It is trained on the
// human training text of the data set and, like the evaluation classifier, never trains, selects or
// ranks a transfer model. Neither the paper nor the authors' code has one.
type LMSettings struct {
	recipe.Training
	recipe.LMShape
	MaxSteps int `json:"max_steps" must:"0 or more"` // optimizer steps after which training ends, 0 = no bound
}

// MetricsSettings choose the metrics that need more than counting.
type MetricsSettings struct {
	Perplexity bool `json:"perplexity"` // train a language model and measure the outputs' perplexity
	Embedding  bool `json:"embedding"`  // embedding average, vector extrema and greedy matching
	METEOR     bool `json:"meteor"`     // where WordNet is found
	// Judges is further judges of TST%: fasttext, bayes; a system that fools one classifier is seen
	// by another
	Judges []string `json:"judges"`
}

// ReportSettings choose what is written at the end.
type ReportSettings struct {
	// Tables is main (results as a paper prints them: a row a system, its seeds together), results,
	// selection (dev outputs, measured by what may select) and search (the
	// points of [search]), which are always made where there is a search, seeds (mean and
	// deviation, where there are several), content, bleu,
	// intervals, significance, datasets, classifier, divlstm, attribution, training, switches,
	// human, examples
	Tables  []string `json:"tables" must:"name one"`
	Figures []string `json:"figures"` // lambda_eps, tradeoff, training, masked_share
	// Paper is the paper's printed values and the difference under each row of the tables that the
	// paper has
	Paper bool `json:"paper"`
	// Against is system that the table "significance" compares all others with; "" = the best by
	// Mean of each data set
	Against  string `json:"against"`
	Examples int    `json:"examples" must:"1 or more"` // examples a direction
	Page     bool   `json:"page"`                      // one HTML page with everything: tables, figures, examples
}

// TrackSettings mirror trainings and scores into trackers while a study runs. They are part of no
// result: a study is the same with and without them. A file of JSON lines is always written, see
// trackers.md.
type TrackSettings struct {
	TensorBoard bool   `json:"tensorboard"` // event files, a folder for each training and score
	Folder      string `json:"folder"`      // of those; default: tensorboard in the workspace
	MLflow      string `json:"mlflow"`      // address of a server, http://127.0.0.1:5000
	Experiment  string `json:"experiment"`  // as that calls it; default: the name of the experiment
}
