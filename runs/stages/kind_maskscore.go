package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// MaskScore measures how much style and how much content masks leave.
const MaskScore stage.Kind = "mask-score"

var maskScoreKind = stage.Definition{
	Name: MaskScore, Version: 2, Inputs: "prepare and mask, test and test-mask; vocab, classifier",
	Files: "`result.json`: `dev` and `test`, each with `masked_share` (0-1), `all_masked`, `none_masked` " +
		"(sentences), " +
		"`accuracy` (percent, evaluation classifier on masked text), `s_bleu` (percent, corpus BLEU-4 over words), " +
		"`char_s_bleu` (percent, sentence BLEU over characters)",
}

// MaskScoreSettings is empty: all that matters is in the inputs.
type MaskScoreSettings struct{}

// MaskScores is result.json.
type MaskScores struct {
	Dev  MaskResult `json:"dev"`
	Test MaskResult `json:"test"`
}

// MaskResult is that of one split.
type MaskResult struct {
	MaskedShare float64 `json:"masked_share"` // of words, 0-1
	AllMasked   int     `json:"all_masked"`   // sentences with every word masked
	NoneMasked  int     `json:"none_masked"`
	Accuracy    float64 `json:"accuracy"` // percent, of the evaluation classifier on masked text
	// corpus BLEU-4 of masked text against source, mean of the two styles, percent
	SBLEU    float64 `json:"s_bleu"`
	CharBLEU float64 `json:"char_s_bleu"`
}
