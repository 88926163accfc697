package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// Naturalness is a judge of naturalness: one given, or one trained on the spot.
const Naturalness stage.Kind = "naturalness"

var naturalnessKind = stage.Definition{
	Name: Naturalness, Version: 1, Inputs: "prepare; none where the experiment names a file",
	Files: "`about.json`, which names the weights file (`weights.tsv`, or a copy of the given file under its own " +
		"name) " +
		"and its signature",
}

// NaturalnessSettings is a file and its sha256, or the seed of one trained on the spot. Where the
// file lies is the source "file".
type NaturalnessSettings struct {
	File string `json:"file,omitempty"` // its base name
	Hash string `json:"hash,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
}
