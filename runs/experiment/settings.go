package experiment

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Settings is everything one point of a sweep needs, every scalar resolved. In the experiment file
// any scalar may be written as a list, which makes it a sweep axis; fields that are lists here stay
// lists. Where the paper (Narasimhan et al.) gives a value it is the default, but for the weight
// and form of conicity and for lambda_rec, with which trainings fail; where it is silent and the
// authors' code has one, that mostly is, and the comment says so. All other defaults are ours.
//
// The json tag is the key in stage.json and the one a user writes, unless a toml tag names that.
// What follows must is which numbers are accepted, as messages say it (see rules).
type Settings struct {
	Vocab      VocabSettings      `json:"vocab"`
	Classifier ClassifierSettings `json:"classifier"`
	FastText   FastTextSettings   `json:"fasttext"`
	DivLSTM    DivLSTMSettings    `json:"divlstm"`
	Masking    MaskingSettings    `json:"masking"`
	SMLM       SMLMSettings       `json:"smlm"`
	Decoder    DecoderSettings    `json:"decoder"`
	Finetune   FinetuneSettings   `json:"finetune"`
	Guide      GuideSettings      `json:"guide"`
	Fluency    FluencySettings    `json:"fluency"`
	Guided     recipe.Guided      `json:"guided"`
	LM         LMSettings         `json:"lm"`
	Metrics    MetricsSettings    `json:"metrics"`
	Report     ReportSettings     `json:"report"`
}

// DatasetSettings names one data set: [datasets.NAME].
type DatasetSettings struct {
	// Dir is folder with {train,dev,test}.{0,1}.txt and reference.{0,1}.txt, relative to the
	// experiment file
	Dir     string   `json:"dir"`
	Builtin string   `json:"builtin"` // "demo": the embedded corpus; not together with dir
	Labels  []string `json:"labels"`  // names of styles 0 and 1; default ["0", "1"] (demo: its own)
	// TrainExtra is train on the sentences of train_extra.{0,1}.txt in dir too, behind those of
	// train.{0,1}.txt
	TrainExtra bool `json:"train_extra"`
	// MaxTrain is training sentences a style, 0 = all; a seeded sample, the order of the file kept
	MaxTrain int      `json:"max_train"`
	Outputs  []string `json:"outputs"` // folder of published systems, or a list of folders: NAME.{0,1}.txt become rows
	// References is folder, or a list of folders, of several human rewrites of the test sentences:
	// each NAME.{0,1}.txt is a set of references for "r-BLEU all"
	References []string `json:"references"`
	// Naturalness is unigram weights file, or a list of them, of which the first is Nat. and part
	// of Mean; none = a classifier trained on the spot
	Naturalness []string `json:"naturalness"`
	// Vectors is word vectors in a text file (GloVe, word2vec, fastText; .gz too) for the embedding
	// metrics; "" = the experiment's, or own ones trained on the spot
	Vectors string `json:"vectors"`
	// Votes is CSV of a human evaluation, for the table "human": direction,item,annotator,vote with
	// directions such as "negative to positive" and votes a, b, both, neither
	Votes   string   `json:"votes"`
	VotedOn []string `json:"voted_on"` // the two systems that votes a and b are for
}

// eachPath replaces every path by f of it.
func (d *DatasetSettings) eachPath(f func(path string) string) {
	for _, p := range []*string{&d.Dir, &d.Vectors, &d.Votes} {
		*p = f(*p)
	}
	for _, list := range []*[]string{&d.Outputs, &d.References, &d.Naturalness} {
		*list = slices.Clone(*list)
		for i, p := range *list {
			(*list)[i] = f(p)
		}
	}
}

// VocabSettings size the vocabulary.
type VocabSettings struct {
	// Size is most frequent training words kept beside the special tokens; 25,000 in the authors'
	// code
	Size int `json:"size" must:"1 or more"`
}

// ClassifierSettings shape the Bi-LSTM that measures TST%. It never trains, selects or ranks a
// transfer model. Widths are those of the authors' code; how that trains it is not known.
type ClassifierSettings struct {
	recipe.Training
	// Models is bi-lstm measures TST% and must be there; fasttext is only compared with it
	Models []string `json:"models,omitempty" must:"name one"`
	recipe.BiLSTMShape
}

// FastTextSettings shape the bag of n-grams that stands beside the Bi-LSTM in the classifier table
// (Joulin et al. 2017); the defaults are of the order of that paper's. It is the selector, which
// says by dev outputs which settings are better and whether attention is on style words.
type FastTextSettings struct {
	Epochs int     `json:"epochs" must:"from 1 to 10000"`
	// LR is of the first sentence, at most 10; falls to 0 in a straight line
	LR float64 `json:"lr" must:"above 0 and at most 10"`
	recipe.FastTextShape
}
