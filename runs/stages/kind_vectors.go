package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// Vectors are the word vectors of the embedding metrics.
const Vectors stage.Kind = "vectors"

var vectorsKind = stage.Definition{
	Name: Vectors, Version: 1, Inputs: "prepare; test too where the experiment names a file",
	Files: "`vectors.txt`: word vectors as word2vec writes them as text, trained on the training text, or those of " +
		"a given file that the texts of the data set and of one published system need; `about.json`: `name` as " +
		"signatures have it, and of the file that these vectors are a part of `total`, `hash`, `mean` (the vector of unknown words); `origin` says how " +
		"own ones were trained",
}

// VectorsSettings is a file of word vectors, or the seed of those trained on the training text.
// Where the file lies is the source "file"; those of a published system's outputs, whose words
// it is read for beside those of the data set, are "STYLE.NUMBER".
type VectorsSettings struct {
	File  string `json:"file,omitempty"` // its base name
	Hash  string `json:"hash,omitempty"`
	Words string `json:"words,omitempty"` // hash of the texts that it is read for
	Seed  uint64 `json:"seed,omitempty"`
}
