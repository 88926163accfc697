package plan

import (
	"encoding/json"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// SampleSeed draws the training sentences of a data set with max_train, the same ones for every
// seed of the models.
const SampleSeed = 1

// PrepareStage is the settings of KindPrepare. Hashes are of the source files, so that changed data
// are another stage; where they lie is Job.Sources["dir"] (absent for a builtin).
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
	experiment.VocabSettings
}

// NaturalnessStage is the settings of KindNaturalness: a file and its sha256, or the seed of one
// trained on the spot. Where the file lies is Job.Sources["file"]; with one the stage has no
// inputs.
type NaturalnessStage struct {
	File string `json:"file,omitempty"` // its base name
	Hash string `json:"hash,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
}

// ClassifierStage is the settings of KindClassifier.
type ClassifierStage struct {
	Seed uint64 `json:"seed"`
	experiment.ClassifierSettings
}

// DivLSTMStage is the settings of KindDivLSTM.
type DivLSTMStage struct {
	Seed uint64 `json:"seed"`
	experiment.DivLSTMSettings
}

// FastTextStage is the settings of KindFastText.
type FastTextStage struct {
	Seed uint64 `json:"seed"`
	experiment.FastTextSettings
}

// AttributionStage is the settings of KindAttribution. Switches that do not matter to the method
// are zero; so are those at their defaults.
type AttributionStage struct {
	Method policy.Method `json:"method"`
	// Splits are those scored: all three, or dev and test for methods that nothing is trained on.
	Splits []string `json:"splits"`
	Seed   uint64   `json:"seed,omitempty"` // with Sampling
	policy.Scoring
}

// attributionJSON is an AttributionStage as identities have it: of integrated gradients it says
// where the factor x - x' is left out.
type attributionJSON struct {
	bareAttribution
	NotTimesX bool `json:"not_times_x,omitempty"`
}

type bareAttribution AttributionStage

// MarshalJSON writes not_times_x for IGTimesInput.
func (s AttributionStage) MarshalJSON() ([]byte, error) {
	without := s.Method == policy.IntegratedGradients && !s.IGTimesInput
	return json.Marshal(attributionJSON{bareAttribution(s), without})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *AttributionStage) UnmarshalJSON(text []byte) error {
	var j attributionJSON
	err := json.Unmarshal(text, &j)
	*s = AttributionStage(j.bareAttribution)
	s.IGTimesInput = s.Method == policy.IntegratedGradients && !j.NotTimesX
	return err
}

// MaskStage is the settings of KindMask: a policy and what matters to it. With Random as many words
// of every sentence as the policy would mask are masked at places drawn by Seed.
type MaskStage struct {
	policy.Policy
	Random bool   `json:"random,omitempty"`
	Seed   uint64 `json:"seed,omitempty"` // random only
}

// MaskScoreStage is the settings of KindMaskScore.
type MaskScoreStage struct{}

// SMLMStage is the settings of KindSMLM; Models, Unmasked and WriteSpecial are left out (zero),
// they matter elsewhere.
type SMLMStage struct {
	Seed uint64 `json:"seed"`
	experiment.SMLMSettings
}

// SMLMGStage is the settings of KindSMLMG.
type SMLMGStage struct {
	Seed uint64 `json:"seed"`
	// Encoder is shape and dropout, of the decoder too; all else is zero.
	Encoder experiment.SMLMSettings `json:"encoder"`
	// Decoder has the training of both; dropout and all of decoding are zero, they do not matter here.
	Decoder experiment.DecoderSettings `json:"decoder"`
}

// SMLMFTStage is the settings of KindSMLMFT.
type SMLMFTStage struct {
	Seed uint64 `json:"seed"`
	experiment.FinetuneSettings
	recipe.Objective // of the reconstructions: the SMLM's
}

// TransferStage is the settings of KindTransfer.
type TransferStage struct {
	Unmasked      recipe.Unmasked `json:"copy"`
	WriteSpecial  bool            `json:"special,omitempty"`        // SMLM and SMLM-FT, where words are predicted
	MaxExtra      int             `json:"max_extra,omitempty"`      // SMLM-G, where words are predicted
	Beam          int             `json:"beam,omitempty"`           // SMLM-G
	LengthPenalty float64         `json:"length_penalty,omitempty"` // SMLM-G with a beam
}

// VectorsStage is the settings of KindVectors: a file of word vectors, or the seed of those trained
// on the training text. Where the file lies is Job.Sources["file"], and the published outputs,
// whose words it is read for, are "STYLE.NUMBER".
type VectorsStage struct {
	File  string `json:"file,omitempty"` // its base name
	Hash  string `json:"hash,omitempty"`
	Words string `json:"words,omitempty"` // hash of the texts that it is read for
	Seed  uint64 `json:"seed,omitempty"`
}

// LMStage is the settings of KindLM.
type LMStage struct {
	Seed uint64 `json:"seed"`
	experiment.LMSettings
}

// ScoreStage is the settings of KindScore.
type ScoreStage struct {
	WordNet string `json:"wordnet,omitempty"` // which one METEOR reads, whose folder is Job.Sources["wordnet"]; "" = no METEOR
}

// HumanReferences is the system name of the row that scores the data set's own references as
// outputs.
const HumanReferences = "human references"

// PublishedStage is the settings of KindPublished: one system's two output files, Job.Sources["0"]
// and ["1"]. With References the outputs are prepare's reference.{0,1}.txt instead, written like
// the sources (Tokenised: as people wrote them they have capitals and full stops on words, which no
// classifier knows), and there is nothing to compare them with: no r-BLEU.
type PublishedStage struct {
	System     string `json:"system"`
	References bool   `json:"references,omitempty"`
	Tokenised  bool   `json:"tokenised,omitempty"` // true with References; earlier versions did not
	ScoreStage
	Hashes map[string]string `json:"hashes,omitempty"` // "0", "1" -> sha256 of the file
}

// TrainResult is result.json of every trained model.
type TrainResult struct {
	Parameters  int     `json:"parameters"`
	AuthorsWay  int     `json:"parameters_by_the_authors_count,omitempty"` // SMLM: with what their count includes and nothing uses
	Epochs      int     `json:"epochs"`                                    // run
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
	CharBLEU    float64 `json:"char_s_bleu"`
}

// AttributionResult is result.json of KindAttribution: how far integrated gradients are from
// completeness, |sum of attributions - (F(x) - F(x'))|, a mean over the sentences of each split;
// empty for the other methods.
type AttributionResult struct {
	Completeness map[string]Completeness `json:"completeness,omitempty"` // by split
}

// Completeness is the gap of one split.
type Completeness struct {
	Gap    float64 `json:"gap"`    // mean |sum of attributions - change|
	Change float64 `json:"change"` // mean |F(x) - F(x')|
	Worst  float64 `json:"worst"`  // greatest gap
}

// MaskScores is the whole of it.
type MaskScores struct {
	Dev  MaskResult `json:"dev"`
	Test MaskResult `json:"test"`
}
