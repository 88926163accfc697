package stages

import (
	"fmt"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Score measures the outputs of a transfer: of the test sentences with all instruments that every
// machine has (see METEOR for the others), or of the dev sentences with those that may select.
const Score stage.Kind = "score"

var scoreKind = stage.Definition{
	Name: Score, Version: 4,
	Inputs: "test (of a selection prepare), vocab, classifier (of a selection `selector`, the fastText-like, and " +
		"`fluency`), naturalness (and `naturalness.2` and so on where there are several), lm, fasttext and bayes " +
		"where the settings want them, transfer",
	Files: "`metrics.json`: what `smlm-exp score --json` prints; `sentences.jsonl`: an object an output, what it " +
		"contributes " +
		"to each metric, from which significance is computed, and of guided outputs its `origins`",
}

// ScoreSettings is what matters to a score beside its inputs.
type ScoreSettings struct {
	// ReferenceSets are the sha256 of further sets of references, style 0 and style 1 after each
	// other; set K of style S is the source "reference.K.S".
	ReferenceSets []string `json:"reference_sets,omitempty"`
	Dev           bool     `json:"dev,omitempty"` // a selection: the selector judges, not the evaluation classifier
}

// ReferenceSource is the source of set k of the references of a style's test sentences.
func ReferenceSource(k, style int) string { return fmt.Sprintf("reference.%d.%d", k, style) }
