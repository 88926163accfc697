package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// METEOR and Embedding compare outputs with the sentences that they were made of, by what a machine
// may lack or have in another version: WordNet, and word vectors. So they are stages of their own
// beside a score, never part of it: the row of a score is there with and without them
// (docs/decisions/021).
const (
	METEOR    stage.Kind = "meteor"
	Embedding stage.Kind = "embedding"
)

var meteorKind = stage.Definition{
	Name: METEOR, Version: 1, Inputs: "test; transfer, or vocab for the human references",
	Files: "`metrics.json` and `sentences.jsonl` as `score` has them, of METEOR alone; they stand beside those of the " +
		"`score` or `published` of the same outputs",
}

var embeddingKind = stage.Definition{
	Name: Embedding, Version: 1, Inputs: "test, vectors; transfer, or vocab for the human references",
	Files: "the same of the embedding metrics",
}

// METEORSettings names the WordNet by its version and digest; its folder is the source "wordnet".
type METEORSettings struct {
	WordNet string `json:"wordnet"`
	Outputs
}

// EmbeddingSettings says of what; the word vectors are an input.
type EmbeddingSettings struct {
	Outputs
}

// Outputs are those of a published system, the sources "0" and "1"; zero where a transfer wrote
// them. With References the outputs are the test set's reference.{0,1}.txt instead, written like
// the sources (Tokenised: as people wrote them they have capitals and full stops on words, which no
// classifier knows).
type Outputs struct {
	System     string            `json:"system,omitempty"`
	References bool              `json:"references,omitempty"`
	Tokenised  bool              `json:"tokenised,omitempty"` // true with References; earlier versions did not
	Hashes     map[string]string `json:"hashes,omitempty"`    // "0", "1" -> sha256 of the file
}
