package experiment

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
)

// Settings has all settings of one point of a sweep, one field for each table of the experiment
// file. In most tables of the file, a list in place of a single value makes the key a sweep axis;
// here the field has one of these values. A field that is a list here takes a list in the file
// too, and cannot be swept.
//
// A field is defined once, here or in the struct that a table embeds. Its tags are:
//
//   - json, the key in the file and in stage.json. With omitempty, the key is left out of the
//     settings of stages that do not read it. A new key that is off at 0 has omitempty, so that
//     stages without it keep their identities.
//   - default, the value in the profile "paper"; without the tag it is 0, false, "" or the empty
//     list. On an embedded struct, it lists the keys that have another default in this table:
//     "epochs=15 clip=1".
//   - must, the allowed numbers, in the words of messages (see bounds); for a list that must not be
//     empty, "a name".
//   - keys, on a table of Settings: the keys that a file may set, if these are not all. The other
//     settings of the table always have their defaults; "none" means that the table has no keys.
//
// docs/settings.md shows the comment on a field as its description, with the key instead of the
// field's name. So the comment must begin with the field's name and consist of sentences. If the
// paper (Narasimhan et al.) gives a value, it is the default. Exceptions are the weight and the
// form of conicity, and lambda_rec, because training fails with the paper's values. If only the
// authors' code gives a value, it is usually the default, and the comment says so. All other
// defaults are ours.
type Settings struct {
	Vocab      VocabSettings      `json:"vocab"`
	Classifier ClassifierSettings `json:"classifier" keys:"epochs lr batch_tokens patience precision embedding hidden"`
	FastText   FastTextSettings   `json:"fasttext" keys:"epochs buckets"`
	CNN        CNNSettings        `json:"cnn" keys:"none"`
	DivLSTM    DivLSTMSettings    `json:"divlstm" keys:"epochs lr dropout batch_tokens precision lambda_con embedding hidden attention bidirectional restarts"`
	Masking    MaskingSettings    `json:"masking"`
	SMLM       SMLMSettings       `json:"smlm"`
	Decoder    DecoderSettings    `json:"decoder" keys:"epochs lr warmup batch_tokens precision layers"`
	Finetune   FinetuneSettings   `json:"finetune" keys:"epochs lr clip batch_tokens precision lambda_sta lambda_rec reading max_steps"`
	Guide      GuideSettings      `json:"guide" keys:"epochs batch_tokens embedding precision"`
	Guided     GuidedSettings     `json:"guided"`
	LM         LMSettings         `json:"lm" keys:"epochs batch_tokens precision embedding hidden max_steps"`
	Metrics    MetricsSettings    `json:"metrics"`
	Report     ReportSettings     `json:"report"`
}

// The map names lists the allowed values of keys that are plain strings or lists of strings. Other
// keys with fixed values have a type of their own, which lists the values (see choices).
var names = map[string][]string{
	".profile":       Profiles,
	"smlm.models":    TransferModels,
	"report.tables":  Tables,
	"report.figures": Figures,
}

// VocabSettings sets the size of the vocabulary.
type VocabSettings struct {
	// Size is the number of words kept: the most frequent ones of the training set. The default is
	// the authors'.
	Size int `json:"size" default:"25000" must:"1 or more"`
}

// ClassifierSettings configures the evaluation classifier, which computes TST% and never trains,
// selects or ranks a transfer model. The widths are the authors'; how they trained it is unknown.
type ClassifierSettings struct {
	recipe.Training `default:"epochs=5"`
	recipe.BiLSTMShape
}

// FastTextSettings configures the selector, a bag of n-grams (Joulin et al. 2017). It judges dev
// outputs when settings are chosen. It also judges whether attention is on style words. epochs
// and the fixed learning rate and width are the defaults of the program fastText.
type FastTextSettings struct {
	// Epochs is the number of passes over the training set.
	Epochs int `json:"epochs" default:"5" must:"from 1 to 10000"`
	// LR is the learning rate of the first sentence. It falls linearly to 0.
	LR float64 `json:"lr" default:"0.1" must:"above 0 and at most 10"`
	recipe.FastTextShape
}

// CNNSettings configures the word CNN that measures TST% unseen. The unseen text may be small, so
// epochs is high; patience usually stops training earlier. embedding, filters, widths and
// word_dropout mean the same as in [guide]. They are separate, so that a change of the guide does
// not change the judge.
type CNNSettings struct {
	recipe.Training `default:"epochs=20 beta1=0.9 dropout=0.5 batch_tokens=1000 patience=1"`
	recipe.CNNShape
}

// DivLSTMSettings configures the Diversity-LSTM (Mohankumar et al. 2020), whose attention says
// which words carry the style. lr, beta1, dropout and the widths are the authors'; they
// trained for 30 epochs.
type DivLSTMSettings struct {
	recipe.Training `default:"epochs=5"`
	// LambdaCon is the weight of conicity, by default that of Mohankumar et al. The paper's 10 (20
	// for Amazon) belongs to a cross-entropy that is summed over a batch (decision 004).
	LambdaCon float64 `json:"lambda_con" default:"0.5" must:"0 or more"`
	recipe.DivLSTMShape
	// Restarts is the largest number of restarts. While the attention is not healthy, training
	// starts again with other initial weights, and the healthiest training is kept. Attention is
	// healthy if, in every style, hiding the most-attended word of each sentence removes at least a
	// quarter of the evidence that hiding the best word would remove. Evidence is the selector's
	// log-odds of the style. Styles without words of their own are not judged (decision 040). In
	// one-sided data, a one-way LSTM whose attention lies after the style words is not restarted.
	Restarts int `json:"restarts" must:"from 0 to 1000"`
}

// MaskingSettings sets which words are masked.
type MaskingSettings struct {
	// Methods are the methods that score words. vanilla_attention is attention trained with
	// lambda_con = 0; attention_x_input multiplies it by the length of the word's vector; random
	// masks as many words as explainable_attention; none masks no words.
	Methods []policy.Method `json:"methods" default:"explainable_attention"`
	// TrainOn are the methods whose masks train the models. The others are only measured.
	TrainOn []policy.Method `json:"train_on" default:"explainable_attention"`
	policy.Policy
	// LambdaEpsGradients is lambda_eps for the three gradient methods. The paper found 0 best.
	LambdaEpsGradients float64 `json:"lambda_eps_gradients" must:"from 0 to 1000"`
}

// TransferModels are the names of the transfer models.
var TransferModels = []string{"smlm", "smlm-g", "smlm-ft"}

// SMLMSettings configures SMLM and the encoder of SMLM-G, which ignores loss and random_masks.
// epochs, layers, heads and dim are the paper's; lr, beta1, dropout and ff are the authors'.
type SMLMSettings struct {
	recipe.Training `default:"epochs=15"`
	// Models are the transfer models to train.
	Models []string `json:"models,omitempty" default:"smlm smlm-g smlm-ft"`
	// Decoding are the decodings to write and report. With "copied", words that are not masked are
	// copied from the source; with "predicted", the model chooses all words; with "guided", a
	// search chooses edits of the source (guided.md). SMLM-G has no guided outputs.
	Decoding []recipe.Decoding `json:"decoding,omitempty" default:"copied predicted" must:"a name"`
	recipe.SMLMShape
	// Pretrained is the folder of a pretrained encoder in HuggingFace format (pretrained.md). It
	// replaces layers, heads, dim and ff. With it, use an lr from 0.0001 to 0.0003, and a warmup.
	Pretrained string `json:"pretrained,omitempty"`
	recipe.Objective
	recipe.VariedMasks
	recipe.ControlCodes
}

// DecoderSettings configures the autoregressive decoder of SMLM-G. dim, heads, ff and dropout are
// the encoder's. Neither the paper nor the authors' code gives values. With lr 0.001 and no
// clipping SMLM-G diverged on Yelp.
type DecoderSettings struct {
	recipe.Training `default:"epochs=15 lr=0.0005 clip=1 warmup=200 dropout=0"`
	// Layers is the number of Transformer layers.
	Layers int `json:"layers" default:"2" must:"from 1 to 16384"`
}

// FinetuneSettings configures the fine-tuning that makes SMLM-FT. The last weights are kept,
// whatever the dev loss. epochs, clip and lambda_sta are the paper's; lr is the authors'.
type FinetuneSettings struct {
	recipe.Training `default:"epochs=1 clip=0.001"`
	recipe.Finetune
}

// GuideSettings configures the guide, a word CNN that judges edits in guided outputs (Kim 2014). It
// is trained on human text and never measures an output.
type GuideSettings struct {
	recipe.Training `default:"epochs=1 beta1=0.9 dropout=0.5 batch_tokens=1000"`
	recipe.CNNShape
}

// GuidedSettings configures how SMLM and SMLM-FT write guided outputs (guided.md).
type GuidedSettings struct {
	recipe.Guided
}

// LMSettings configures the LSTM language model that computes perplexity and never trains, selects
// or ranks a transfer model. The paper has none. Small batches give a far lower dev perplexity.
type LMSettings struct {
	recipe.Training `default:"epochs=8 lr=0.003 beta1=0.9 clip=1 dropout=0.2 batch_tokens=500 patience=1"`
	recipe.LMShape
	// MaxSteps is the number of steps after which training stops. 0: no limit.
	MaxSteps int `json:"max_steps" default:"5500" must:"0 or more"`
}

// MetricsSettings switches on metrics that need a model (metrics.md).
type MetricsSettings struct {
	// Perplexity measures perplexity, by the language model of [lm].
	Perplexity bool `json:"perplexity" default:"true"`
	// Encoder is the folder of a pretrained encoder (HuggingFace format) for BERTScore and the
	// cosine of sentence embeddings.
	Encoder string `json:"encoder,omitempty"`
}

// Figures lists every figure.
var Figures = []string{"lambda_eps", "tradeoff"}

// Tables lists every table. systemTables lists the tables with results of systems.
var (
	Tables       = report.Names(func(*report.Spec) bool { return true })
	systemTables = report.Names(func(s *report.Spec) bool { return s.From == report.FromSystems })
)

// ReportSettings sets what is written after a run.
type ReportSettings struct {
	// Tables are the tables to write. main is for a paper: one row per system, averaged over seeds.
	// seeds shows mean and deviation; selection shows dev outputs.
	Tables []string `json:"tables" must:"a name"`
	// Figures are the figures to draw. lambda_eps is drawn if masking.lambda_eps has several
	// numbers.
	Figures []string `json:"figures" default:"lambda_eps tradeoff"`
	// Paper adds the paper's printed values, and the difference, below each row that is in the
	// paper.
	Paper bool `json:"paper"`
	// Against is the system that the table "significance" compares with all others, by its name in
	// tables, such as "SMLM (guided)". Default: for each data set, the system of this experiment
	// with the highest Mean on the dev set.
	Against string `json:"against"`
	// Scores is a CSV file with another program's scores of the outputs. Each score becomes a
	// column (metrics.md).
	Scores string `json:"scores"`
	// Examples is the number of examples for each direction.
	Examples int `json:"examples" default:"10" must:"1 or more"`
}

// ShowsSystems reports whether any table, or the figure "tradeoff", shows the results of systems.
// Only then are published systems scored.
func (r *ReportSettings) ShowsSystems() bool {
	return slices.Contains(r.Figures, "tradeoff") || slices.ContainsFunc(
		r.Tables, func(t string) bool { return slices.Contains(systemTables, t) },
	)
}

// Outputs lists the decodings with which a model writes outputs. With a loss over masked words
// alone, SMLM and SMLM-FT do not learn to predict other words, so they have no predicted outputs.
// SMLM-G has no guided outputs.
func (s *Settings) Outputs(model string) []recipe.Decoding {
	return lists.Filter(s.SMLM.Decoding, func(d recipe.Decoding) bool {
		switch d {
		case recipe.Predicted:
			return s.SMLM.Loss != recipe.Masked || model == "smlm-g"
		case recipe.GuidedDecoding:
			return model != "smlm-g"
		}
		return true
	})
}
