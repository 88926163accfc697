package experiment

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// LMSettings shape the LSTM language model whose perplexity judges outputs. It is trained on the human training text of the data
// set and, like the evaluation classifier, never trains, selects or ranks a transfer model.
type LMSettings struct {
	recipe.Training
	Embedding int     `toml:"embedding" json:"embedding"`
	Hidden    int     `toml:"hidden" json:"hidden"`       // width of a state
	Layers    int     `toml:"layers" json:"layers"`       // LSTM layers
	MinCount  int     `toml:"min_count" json:"min_count"` // words that the training text has less often are <unk>, in training and in scoring
	UnkShare  float64 `toml:"unk_share" json:"unk_share"` // rarest words that are <unk> beside those, until they are this share of the text
	MaxSteps  int     `toml:"max_steps" json:"max_steps"` // optimizer steps after which training ends, 0 = no bound
	Tied      bool    `toml:"tied" json:"tied"`           // the vocabulary layer's weights are the words' vectors
}

// MetricsSettings choose the metrics that need more than counting.
type MetricsSettings struct {
	Perplexity bool `toml:"perplexity" json:"perplexity"` // train a language model and measure the outputs' perplexity
	Embedding  bool `toml:"embedding" json:"embedding"`   // embedding average, vector extrema and greedy matching
	METEOR     bool `toml:"meteor" json:"meteor"`         // where WordNet is found
}

// ReportSettings choose what is written at the end.
type ReportSettings struct {
	Tables   []string `toml:"tables" json:"tables"`     // results, seeds (mean and deviation, where there are several), content, bleu, intervals, significance, datasets, classifier, divlstm, attribution, training, switches, human, examples
	Figures  []string `toml:"figures" json:"figures"`   // lambda_eps, tradeoff, training, masked_share
	Paper    bool     `toml:"paper" json:"paper"`       // the paper's printed values and the difference under each row of the tables that the paper has
	Against  string   `toml:"against" json:"against"`   // system that the table "significance" compares all others with; "" = the best by Mean of each data set
	Examples int      `toml:"examples" json:"examples"` // examples a direction
	Page     bool     `toml:"page" json:"page"`         // one HTML page with everything: tables, figures, examples
}
