package runs

// SampleSeed draws the training sentences of a data set with max_train, the same ones for every seed of the models.
const SampleSeed = 1

// PrepareStage is the settings of KindPrepare. Hashes are of the source files, so that changed data are another stage;
// where they lie is Job.Sources["dir"] (absent for a builtin).
type PrepareStage struct {
	Name     string            `json:"name"`
	Builtin  string            `json:"builtin,omitempty"`
	Labels   []string          `json:"labels"` // always two
	MaxTrain int               `json:"max_train,omitempty"`
	Seed     uint64            `json:"seed,omitempty"` // SampleSeed where MaxTrain > 0
	Hashes   map[string]string `json:"hashes"`         // file name -> sha256 in hex; for a builtin of the text it generates
}

// VocabStage is the settings of KindVocab.
type VocabStage struct {
	VocabSettings
}

// NaturalnessStage is the settings of KindNaturalness: a file and its sha256, or the seed of one trained on the spot.
// Where the file lies is Job.Sources["file"]; with one the stage has no inputs.
type NaturalnessStage struct {
	File string `json:"file,omitempty"` // its base name
	Hash string `json:"hash,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
}

// ClassifierStage is the settings of KindClassifier.
type ClassifierStage struct {
	Seed uint64 `json:"seed"`
	ClassifierSettings
}

// DivLSTMStage is the settings of KindDivLSTM.
type DivLSTMStage struct {
	Seed uint64 `json:"seed"`
	DivLSTMSettings
}

// AttributionStage is the settings of KindAttribution.
type AttributionStage struct {
	Method string `json:"method"`
}

// MaskStage is the settings of KindMask. Method "random" masks as many words of every sentence as the surplus policy
// would on the given attribution, at places drawn by Seed.
type MaskStage struct {
	Policy    string  `json:"policy"` // "surplus" or "random"
	LambdaEps float64 `json:"lambda_eps"`
	Seed      uint64  `json:"seed,omitempty"` // random only
}

// MaskScoreStage is the settings of KindMaskScore.
type MaskScoreStage struct{}

// SMLMStage is the settings of KindSMLM; SMLM.Models and SMLM.CopyUnmasked are left out (zero), they matter elsewhere.
type SMLMStage struct {
	Seed uint64 `json:"seed"`
	SMLMSettings
}

// SMLMGStage is the settings of KindSMLMG.
type SMLMGStage struct {
	Seed    uint64          `json:"seed"`
	Encoder SMLMSettings    `json:"encoder"` // shape and dropout, of the decoder too; all else is zero
	Decoder DecoderSettings `json:"decoder"` // its TrainSettings train both; dropout and max_extra are zero, they do not matter here
}

// SMLMFTStage is the settings of KindSMLMFT.
type SMLMFTStage struct {
	Seed uint64 `json:"seed"`
	FinetuneSettings
	Loss string `json:"loss"` // of the same-style reconstruction: SMLMSettings.Loss
}

// TransferStage is the settings of KindTransfer.
type TransferStage struct {
	CopyUnmasked bool `json:"copy_unmasked"`
	MaxExtra     int  `json:"max_extra,omitempty"` // SMLM-G only
}

// ScoreStage is the settings of KindScore.
type ScoreStage struct{}

// HumanReferences is the system name of the row that scores the data set's own references as outputs.
const HumanReferences = "human references"

// PublishedStage is the settings of KindPublished: one system's two output files, Job.Sources["0"] and ["1"]. With
// References the outputs are prepare's reference.{0,1}.txt instead, and there is nothing to compare them with: no r-BLEU.
type PublishedStage struct {
	System     string            `json:"system"`
	References bool              `json:"references,omitempty"`
	Hashes     map[string]string `json:"hashes,omitempty"` // "0", "1" -> sha256 of the file
}

// TrainResult is result.json of every trained model.
type TrainResult struct {
	Parameters  int     `json:"parameters"`
	Epochs      int     `json:"epochs"` // run
	BestEpoch   int     `json:"best_epoch"`
	Steps       int     `json:"steps"`
	TrainTokens int     `json:"train_tokens"`
	Seconds     float64 `json:"seconds"`
	DevLoss     float64 `json:"dev_loss"`
	DevAccuracy float64 `json:"dev_accuracy,omitempty"`  // percent; classifiers
	TestAcc     float64 `json:"test_accuracy,omitempty"` // percent; classifiers
	Conicity    float64 `json:"conicity,omitempty"`      // mean over the dev set; Diversity-LSTM
}

// MaskResult is result.json of KindMaskScore, for one split.
type MaskResult struct {
	MaskedShare float64 `json:"masked_share"` // of words, 0-1
	AllMasked   int     `json:"all_masked"`   // sentences with every word masked
	NoneMasked  int     `json:"none_masked"`
	Accuracy    float64 `json:"accuracy"` // percent, of the evaluation classifier on masked text
	SBLEU       float64 `json:"s_bleu"`   // corpus BLEU-4 of masked text against source, mean of the two styles, percent
}

// MaskScores is the whole of it.
type MaskScores struct {
	Dev  MaskResult `json:"dev"`
	Test MaskResult `json:"test"`
}
