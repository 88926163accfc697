package experiment

import (
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// Settings is everything one point of a sweep needs, every scalar resolved: a table of the
// experiment file each. In the file any scalar may be written as a list, which makes it a sweep
// axis; fields that are lists here stay lists.
//
// A field is told once, here or in the struct that a table embeds. Its tags are:
//
//   - json, the key in the file and in stage.json. With omitempty it is left out of stages that do
//     not read it; a new key that is off at 0 has it, so that stages which lack it keep their
//     identities.
//   - default, the value in the profile "paper"; without the tag it is 0, false, "" or the empty
//     list. Of an embedded struct it has the keys that this table has otherwise:
//     "epochs=15 clip=1".
//   - authors, the value in the profile "authors" where that is another.
//   - must, which numbers are taken, as messages say it (see bounds); of a list that may not be
//     empty "a name".
//   - without, of an embedded struct: the keys that this table does not have.
//
// Its comment is what docs/settings.md says of the key, with the key in the place of the field's
// name: so it begins with that, and is made of sentences. Where the paper (Narasimhan et al.) gives
// a value it is the default, but for the weight and form of conicity and for lambda_rec, with which
// trainings fail; where it is silent and the authors' code has one, that mostly is, and the comment
// says so. All other defaults are ours.
type Settings struct {
	Vocab      VocabSettings      `json:"vocab"`
	Classifier ClassifierSettings `json:"classifier"`
	FastText   FastTextSettings   `json:"fasttext"`
	CNN        CNNSettings        `json:"cnn"`
	Mixed      recipe.Mixed       `json:"mixed"`
	DivLSTM    DivLSTMSettings    `json:"divlstm"`
	Masking    MaskingSettings    `json:"masking"`
	SMLM       SMLMSettings       `json:"smlm"`
	Teacher    TeacherSettings    `json:"teacher"`
	Decoder    DecoderSettings    `json:"decoder"`
	Finetune   FinetuneSettings   `json:"finetune"`
	Guide      GuideSettings      `json:"guide"`
	Fluency    FluencySettings    `json:"fluency"`
	Guided     recipe.Guided      `json:"guided"`
	LM         LMSettings         `json:"lm"`
	Metrics    MetricsSettings    `json:"metrics"`
	Report     ReportSettings     `json:"report"`
}

// names are those that plain strings and lists of them may hold. Of other keys their type says it.
var names = map[string][]string{
	".profile":          Profiles,
	"classifier.models": {"bi-lstm", "fasttext"},
	"smlm.models":       TransferModels,
	"metrics.judges":    {"whole", "fasttext", "bayes"},
	"report.tables":     Tables,
	"report.figures":    {"lambda_eps", "tradeoff", "training", "masked_share"},
	"search.method":     {randomSearch, halvingSearch},
	"search.maximise":   SelectionMetrics,
	"search.minimise":   SelectionMetrics,
}

// VocabSettings says how large the vocabulary is.
type VocabSettings struct {
	// Size is the number of most frequent training words that are kept beside the special tokens;
	// it is 25,000 in the authors' code.
	Size int `json:"size" default:"25000" must:"1 or more"`
}

// ClassifierSettings shapes the Bi-LSTM that measures TST%. It never trains, selects or ranks a
// transfer model. Widths are those of the authors' code; how that trains it is not known.
type ClassifierSettings struct {
	recipe.Training `default:"epochs=5"`
	// Models are the classifiers in the table of classifiers: bi-lstm measures TST% and must be
	// there; fasttext is only compared with it.
	Models []string `json:"models,omitempty" default:"bi-lstm fasttext" must:"a name"`
	// Kind is what stands in the place of the Bi-LSTM: "bi-lstm", which is that, or "encoder", a
	// pretrained encoder that starts from the folder pretrained.
	Kind ClassifierKind `json:"kind,omitempty" default:"bi-lstm"`
	PretrainedStart
	recipe.BiLSTMShape
}

// FastTextSettings shapes the bag of n-grams that stands beside the Bi-LSTM in the table of
// classifiers (Joulin et al. 2017); the defaults are of the order of that paper's. It is the
// selector, which says by dev outputs which settings are better and whether attention is on style
// words.
type FastTextSettings struct {
	// Epochs is how often the training goes through the training set.
	Epochs int `json:"epochs" default:"5" must:"from 1 to 10000"`
	// LR is the learning rate of the first sentence, from which it falls to 0 in a straight line.
	LR float64 `json:"lr" default:"0.1" must:"above 0 and at most 10"`
	recipe.FastTextShape
}

// CNNSettings shapes the word CNN that measures TST% unseen beside a bag of n-grams as [fasttext]
// has it, both trained on text that nothing else reads (unseen of the data set). It is of the kind
// of [guide] and apart from that, so that another guide is measured by the same judge. An unseen
// text may be small, so there are many epochs, of which patience ends most.
type CNNSettings struct {
	recipe.Training `default:"epochs=20 beta1=0.9 dropout=0.5 batch_tokens=1000 patience=1"`
	recipe.CNNShape
}

// DivLSTMSettings shapes the Diversity-LSTM (Mohankumar et al. 2020). lr, beta1, beta2, dropout and
// all widths are those of the authors' code, which trains for 30 epochs. The keys from
// conicity_form on, but for restarts, are for quirks of that code.
type DivLSTMSettings struct {
	recipe.Training `default:"epochs=5"`
	// LambdaCon is the weight of conicity: 0.5 belongs to reduction "mean" (Mohankumar et al.); the
	// paper's 10, for Amazon 20, belongs to "sum", as in the authors' code.
	LambdaCon float64 `json:"lambda_con" default:"0.5" authors:"10" must:"0 or more"`
	recipe.DivLSTMShape
	recipe.DivLSTMLoss
	recipe.DivLSTMInputs
	// Restarts is how many times training may begin anew from other weights while the attention is
	// not healthy: in dev sentences of either style, leaving out the most-attended word must take a
	// quarter of the evidence from the selector that leaving out the best word would. Where it
	// never is, the training nearest to it is kept.
	Restarts int `json:"restarts" must:"from 0 to 1000"`
	// TrainAttention trains the attention and the maps to latents. Without it they stay as drawn,
	// as in the authors' code, whose optimizer is made before them.
	TrainAttention bool `json:"train_attention" default:"true" authors:"false"`
}

// MaskingSettings says which words are masked.
type MaskingSettings struct {
	// Methods are how words may be scored: explainable_attention; vanilla_attention, with
	// lambda_con = 0; attention_x_input, the same times the length of the word's vector; gradients;
	// gradients_x_input; integrated_gradients; random, as many words as explainable_attention
	// masks, anywhere; and none.
	Methods []policy.Method `json:"methods" default:"explainable_attention"`
	// TrainOn are those of methods whose masks the models are trained on; the rest are only scored,
	// on the dev and test sets.
	TrainOn       []policy.Method `json:"train_on" default:"explainable_attention"`
	policy.Policy `without:"extra"`
	// LambdaEpsGradients is lambda_eps of the three gradient methods, for which the paper found 0
	// best.
	LambdaEpsGradients float64 `json:"lambda_eps_gradients" must:"from 0 to 1000"`
	policy.Scoring
}

// TransferModels are the transfer models.
var TransferModels = []string{"smlm", "smlm-g", "smlm-ft"}

// SMLMSettings shapes SMLM and the encoder of SMLM-G, on which loss, reduction, reveal,
// random_masks, shift_targets and write_special do not act. epochs, layers, heads and dim are the
// paper's; lr, betas, dropout and ff are the authors' code's, the last five keys for its quirks.
type SMLMSettings struct {
	recipe.Training `default:"epochs=15"`
	// Models are the transfer models that are trained.
	Models []string `json:"models,omitempty" default:"smlm smlm-g smlm-ft"`
	// Decoding says which outputs are made and reported: "copied" has the source's word wherever
	// nothing was masked, "predicted" the model's own; "guided" copies too, and refills masks as
	// [guided] says.
	Decoding []recipe.Decoding `json:"decoding,omitempty" default:"copied predicted" authors:"predicted" must:"a name"`
	recipe.SMLMShape
	PretrainedStart
	// Teacher is the weight of what the model of [teacher] says of the words that count, against
	// that of the words themselves; with 0 there is no teacher.
	Teacher float64 `json:"teacher,omitempty" must:"from 0 to 1"`
	recipe.Objective
	recipe.VariedMasks
	recipe.Slotting
	recipe.ControlCodes
	// TrainEmbeddings trains the table of words' vectors; without it that stays as drawn.
	TrainEmbeddings bool `json:"train_embeddings" default:"true" authors:"false"`
	// WriteSpecial lets predicted outputs hold <unk> and end at the first <eos>.
	WriteSpecial bool `json:"write_special" authors:"true"`
}

// PretrainedStart says from which pretrained encoder a model starts. lr is best from 0.0001 to
// 0.0003 then, with a warmup.
type PretrainedStart struct {
	// Pretrained is the folder of a pretrained encoder, as HuggingFace's transformers writes it,
	// from which the encoder starts, with the folder's layers, heads, dim and ff; with "" it starts
	// anew.
	Pretrained string `json:"pretrained,omitempty"`
	// PretrainedLayers is the number of layers that are taken of it, from the first on; with 0 it
	// is all.
	PretrainedLayers int `json:"pretrained_layers,omitempty" must:"from 0 to 16384"`
	// LayerDecay is the learning rate of a layer taken from the folder, as a part of that of the
	// layer above it; the uppermost has so much of lr, and words' vectors and the vocabulary layer
	// have all of it. With 0 all learn alike (Clark et al. 2020, appendix B, take 0.8 to 0.9).
	LayerDecay float64 `json:"layer_decay,omitempty" must:"from 0 to 1"`
}

// Needed returns the keys that matter to a training whose input is the folder.
func (s PretrainedStart) Needed() PretrainedStart {
	if s.Pretrained == "" {
		return PretrainedStart{}
	}
	s.Pretrained = ""
	return s
}

// TeacherSettings shapes an SMLM that starts from a pretrained encoder and teaches the smaller one
// of [smlm], where smlm.teacher is above 0 (Hinton et al. 2015): a model as fast as before, with
// better words. All that is not said here is as in [smlm].
type TeacherSettings struct {
	recipe.Training `default:"epochs=1 lr=0.0003 beta1=0.9 warmup=150 decay=0.8 clip=1 dropout=0.1"`
	PretrainedStart
}

// DecoderSettings shapes the autoregressive decoder of SMLM-G; dim, heads, ff and dropout are the
// encoder's. The paper gives no value of it, and the authors' code has none. At lr 1e-3 without
// clipping SMLM-G diverged on Yelp.
type DecoderSettings struct {
	recipe.Training `default:"epochs=15 lr=0.0005 clip=1 warmup=200" without:"dropout"`
	// Layers is the number of Transformer layers.
	Layers int `json:"layers" default:"2" must:"from 1 to 16384"`
	// MaxExtra is the number of words that an output may be longer than its source.
	MaxExtra int `json:"max_extra" default:"10" must:"from 0 to 1000"`
	// Beam is the number of hypotheses that are kept; 1 is greedy search.
	Beam int `json:"beam" default:"1" must:"from 1 to 1000"`
	// LengthPenalty is alpha of Wu et al. 2016, eq. 14, for a beam: with a greater one outputs are
	// longer; 0 is no penalty.
	LengthPenalty float64 `json:"length_penalty" default:"0.6" must:"0 or more"`
	// NoRepeats keeps a word of a plain output from being chosen beside itself.
	NoRepeats bool `json:"no_repeats"`
}

// FinetuneSettings shapes the fine-tuning of SMLM-FT (the paper, section "Fine-tuning for TST"),
// which keeps its last weights, whatever the dev loss. epochs, clip and lambda_sta are the paper's;
// lr, beta1, beta2 and dropout those of the authors' code.
type FinetuneSettings struct {
	recipe.Training `default:"epochs=1 clip=0.001" without:"patience"`
	recipe.Finetune
}

// GuideSettings shapes the word CNN that guides transfer models while they refill (Kim 2014). It is
// trained on human text, and never measures an output: that is the Bi-LSTM's part.
type GuideSettings struct {
	recipe.Training `default:"epochs=1 beta1=0.9 dropout=0.5 batch_tokens=1000"`
	recipe.CNNShape
	// Mixed gives the guide a class for mixed texts, whose examples [mixed] makes, so that half a
	// flip does not satisfy it.
	Mixed bool `json:"mixed,omitempty" default:"false"`
	// Kind is "cnn" or, for a pretrained encoder that starts from the folder pretrained, "encoder",
	// which takes far longer to ask.
	Kind GuideKind `json:"kind,omitempty" default:"cnn"`
	PretrainedStart
}

// FluencySettings shapes the n-gram language model that says how fluent a fill is among its
// neighbours, and the masked language model that stands beside it where kind asks for one. They are
// of another sort than that of [lm], which judges. All keys but order and kind are of the masked
// language model.
type FluencySettings struct {
	// Order is the number of words of the longest n-gram.
	Order int `json:"order" default:"4" must:"from 1 to 5"`
	// Kind is what says how fluent dev outputs are: "ngrams", or "masked", which is n-grams and,
	// beside them, the pseudo-perplexity by a masked language model that starts from the folder
	// pretrained.
	Kind FluencyKind `json:"kind,omitempty" default:"ngrams"`
	PretrainedStart
	// MaskedShare is the share of the words that training masks, drawn anew in each epoch.
	MaskedShare     float64 `json:"masked_share" default:"0.15" must:"above 0 and at most 1"`
	recipe.Training `default:"epochs=1 lr=0.0003 beta1=0.9 warmup=300 decay=1 clip=1 dropout=0.1 batch_tokens=1000"`
}

// ClassifierKind is what the evaluation classifier is.
type ClassifierKind string

// GuideKind is what the guide is.
type GuideKind string

// The kinds.
const (
	BiLSTMKind  ClassifierKind = "bi-lstm"
	EncoderKind                = "encoder" // a pretrained encoder, of either
	CNNKind     GuideKind      = "cnn"
)

// Choices lists the values that a file may give.
func (ClassifierKind) Choices() []string { return recipe.Choices(BiLSTMKind, EncoderKind) }

// Choices lists the values that a file may give.
func (GuideKind) Choices() []string { return recipe.Choices(CNNKind, EncoderKind) }

// FluencyKind is what says how fluent dev outputs are.
type FluencyKind string

// The kinds.
const (
	NGramFluency  FluencyKind = "ngrams"
	MaskedFluency FluencyKind = "masked" // and n-grams beside it
)

// Choices lists the values that a file may give.
func (FluencyKind) Choices() []string { return recipe.Choices(NGramFluency, MaskedFluency) }

// LMSettings shapes the LSTM language model whose perplexity judges outputs. It is trained on the
// human training text of the data set and, like the evaluation classifier, never trains, selects or
// ranks a transfer model. Neither the paper nor the authors' code has one. Its batches are small:
// after as many words they leave a far lower dev perplexity than large ones.
type LMSettings struct {
	recipe.Training `default:"epochs=8 lr=0.003 beta1=0.9 clip=1 dropout=0.2 batch_tokens=500 patience=1"`
	recipe.LMShape
	// MaxSteps is the number of steps after which training ends; 0 is no bound.
	MaxSteps int `json:"max_steps" default:"5500" must:"0 or more"`
}

// MetricsSettings says which of the metrics are wanted that need more than counting.
type MetricsSettings struct {
	// Perplexity trains a language model and measures the outputs' perplexity by it.
	Perplexity bool `json:"perplexity" default:"true"`
	// Embedding measures embedding average, vector extrema and greedy matching.
	Embedding bool `json:"embedding" default:"true"`
	// METEOR is measured where WordNet is found.
	METEOR bool `json:"meteor" default:"true"`
	// Encoder is the folder of a pretrained encoder, as HuggingFace's transformers writes it, for
	// BERTScore and the cosine of sentence embeddings; with "" there are none.
	Encoder string `json:"encoder,omitempty"`
	// EncoderLayer is the layer whose states BERTScore compares; with 0 it is the last.
	EncoderLayer int `json:"encoder_layer,omitempty" must:"from 0 to 16384"`
	// EncoderIDF weighs pieces in BERTScore the more, the fewer of the references have them.
	EncoderIDF bool `json:"encoder_idf,omitempty"`
	// EncoderBaseline is a file of bert-score's baselines, by which BERTScore is rescaled; with ""
	// it is not.
	EncoderBaseline string `json:"encoder_baseline,omitempty"`
	// Acceptability is the folder of a pretrained classifier that tells acceptable sentences; with
	// encoder too there is the joint score J.
	Acceptability string `json:"acceptability,omitempty"`
	// AcceptableLabel is the label of acceptable sentences there; with "" it is the one whose name
	// says so, or LABEL_1 of two.
	AcceptableLabel string `json:"acceptable_label,omitempty"`
	// Judges are further judges of TST%: a system that fools one classifier is seen by another.
	// whole is a Bi-LSTM as [classifier] has it with one class more, for texts of no style as a
	// whole, whose examples [mixed] makes.
	Judges []string `json:"judges" default:"whole"`
}

// Tables are those that may be asked for, and defaultTables those that are where the file asks for
// none: too many for a tag.
var (
	Tables = []string{
		"main", "results", "directions", "matrix", "search", "selection", "seeds", "content", "bleu", "intervals",
		"significance", "datasets", "classifier", "divlstm", "attribution", "training", "switches", "human", "read", "examples",
	}
	defaultTables = []string{
		"main", "results", "seeds", "content", "intervals", "significance", "datasets", "classifier", "divlstm",
		"attribution", "examples",
	}
)

// ReportSettings says what is written at the end.
type ReportSettings struct {
	// Tables are those that are written: main has the results as a paper prints them, a row a
	// system, its seeds together; directions has a row of these a direction, and matrix TST% and
	// s-BLEU from each style to each other one; seeds has mean and deviation, where there are
	// several seeds; selection has dev outputs, measured by what may select, and search the points
	// of [search]. The last two are always made where there is a search.
	Tables []string `json:"tables" must:"a name"`
	// Figures are those that are drawn.
	Figures []string `json:"figures" default:"lambda_eps tradeoff training masked_share"`
	// Paper adds the paper's printed values, and the difference to them, under each row of the
	// tables that the paper has.
	Paper bool `json:"paper"`
	// Against is the system that the table "significance" compares all others with; with "" it is
	// the best by Mean of each data set.
	Against string `json:"against"`
	// Examples is the number of examples in each direction.
	Examples int `json:"examples" default:"10" must:"1 or more"`
	// Page writes one HTML page with everything: tables, figures and examples.
	Page bool `json:"page" default:"true"`
}

// Searched returns [guided] as it acts on SMLM-G: a beam as wide as one of the two tables says.
func (s *Settings) Searched() recipe.Guided {
	return s.Guided.Searched(max(s.Decoder.Beam, s.Guided.Candidates))
}

// Outputs lists the decodings of a model's outputs. A loss over masked words alone teaches SMLM and
// SMLM-FT nothing about the others: they have no predicted output then.
func (s *Settings) Outputs(model string) []recipe.Decoding {
	return lists.Where(s.SMLM.Decoding, func(d recipe.Decoding) bool {
		return d != recipe.Predicted || s.SMLM.Loss != recipe.Masked || model == "smlm-g"
	})
}
