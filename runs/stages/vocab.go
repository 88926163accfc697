package stages

import (
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Vocab keeps the most frequent training words.
const Vocab stage.Kind = "vocab"

var vocabKind = stage.Definition{
	Name: Vocab, Version: 1, Inputs: "prepare",
	Files: "`vocab.txt`: one word a line, line n (from 0) is the word of id n; the first nine are the special tokens",
}

// VocabSettings is [vocab].
type VocabSettings struct {
	experiment.VocabSettings
}
