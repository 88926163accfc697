package experiment

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// Settings is everything one point of a sweep needs, every scalar resolved. In the experiment file any scalar
// may be written as a list, which makes it a sweep axis; fields that are lists here stay lists.
// The toml tag is the key a user writes, the json tag the key in stage.json: they are always the same.
// Where the paper (Narasimhan et al.) gives a value it is the default; where it is silent the comment says whose value it is.
type Settings struct {
	Vocab      VocabSettings      `toml:"vocab" json:"vocab"`
	Classifier ClassifierSettings `toml:"classifier" json:"classifier"`
	FastText   FastTextSettings   `toml:"fasttext" json:"fasttext"`
	DivLSTM    DivLSTMSettings    `toml:"divlstm" json:"divlstm"`
	Masking    MaskingSettings    `toml:"masking" json:"masking"`
	SMLM       SMLMSettings       `toml:"smlm" json:"smlm"`
	Decoder    DecoderSettings    `toml:"decoder" json:"decoder"`
	Finetune   FinetuneSettings   `toml:"finetune" json:"finetune"`
	LM         LMSettings         `toml:"lm" json:"lm"`
	Metrics    MetricsSettings    `toml:"metrics" json:"metrics"`
	Report     ReportSettings     `toml:"report" json:"report"`
}

// DatasetSettings names one data set: [datasets.NAME].
type DatasetSettings struct {
	Dir         string   `toml:"dir" json:"dir,omitempty"`                 // folder with {train,dev,test}.{0,1}.txt and reference.{0,1}.txt, relative to the experiment file
	Builtin     string   `toml:"builtin" json:"builtin,omitempty"`         // "demo": the embedded corpus; exclusive with Dir
	Labels      []string `toml:"labels" json:"labels,omitempty"`           // names of styles 0 and 1; default ["0", "1"] (demo: its own)
	MaxTrain    int      `toml:"max_train" json:"max_train,omitempty"`     // training sentences a style, 0 = all; a seeded sample, the order of the file kept
	Outputs     []string `toml:"outputs" json:"outputs,omitempty"`         // folder of published systems, or a list of folders: NAME.{0,1}.txt become rows
	Naturalness []string `toml:"naturalness" json:"naturalness,omitempty"` // unigram weights file, or a list of them, of which the first is Nat. and part of Mean; none = a classifier trained on the spot
	Vectors     string   `toml:"vectors" json:"vectors,omitempty"`         // word vectors in a text file (GloVe, word2vec, fastText; .gz too) for the embedding metrics; "" = the experiment's, or own ones trained on the spot
	Votes       string   `toml:"votes" json:"votes,omitempty"`             // CSV of a human evaluation, for the table "human": direction,item,annotator,vote with directions such as "negative to positive" and votes a, b, both, neither
	VotedOn     []string `toml:"voted_on" json:"voted_on,omitempty"`       // the two systems that votes a and b are for
}

// VocabSettings sizes the vocabulary.
type VocabSettings struct {
	Size int `toml:"size" json:"size"` // most frequent training words kept beside the special tokens; 25,000 in the authors' code
}

// ClassifierSettings shape the Bi-LSTM that measures TST%. It never trains, selects or ranks a transfer model.
type ClassifierSettings struct {
	recipe.Training
	Models    []string `toml:"models" json:"models,omitempty"` // bi-lstm measures TST% and must be there; fasttext is only compared with it
	Embedding int      `toml:"embedding" json:"embedding"`     // 300 in the authors' code
	Hidden    int      `toml:"hidden" json:"hidden"`           // a direction; 512 in the authors' code
}

// FastTextSettings shape the bag of n-grams that stands beside the Bi-LSTM in the classifier table (Joulin et al. 2017); the
// defaults are of the order of that paper's.
type FastTextSettings struct {
	Epochs  int     `toml:"epochs" json:"epochs"`
	LR      float64 `toml:"lr" json:"lr"`           // of the first sentence; falls to 0 in a straight line
	Dim     int     `toml:"dim" json:"dim"`         // of a vector
	Ngrams  int     `toml:"ngrams" json:"ngrams"`   // longest run of words with a vector of its own, 1 = words only
	Buckets int     `toml:"buckets" json:"buckets"` // that runs of two words and more are hashed into
}
