package kind

// Score measures the outputs of a transfer.
const Score Kind = "score"

var score = Definition{
	Name: Score, Version: 3,
	Inputs: "prepare, vocab, classifier, naturalness (and `naturalness.2` and so on where there are several), " +
		"vectors and " +
		"lm where the settings want them, transfer",
	Files: "`metrics.json`: what `smlm-exp score --json` prints; `sentences.jsonl`: an object an output, what it " +
		"contributes " +
		"to each metric, from which significance is computed",
}

// ScoreSettings names the WordNet that METEOR reads, whose folder is the source "wordnet"; "" = no
// METEOR.
type ScoreSettings struct {
	WordNet string `json:"wordnet,omitempty"`
}
