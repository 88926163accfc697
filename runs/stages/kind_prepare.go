package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// Prepare writes the training and dev sentences of a data set as all that trains, guides and
// selects reads them. The test sentences are TestSet's.
const Prepare stage.Kind = "prepare"

var prepareKind = stage.Definition{
	Name: Prepare, Version: 2, Inputs: "",
	Files: "`{train,dev}.{0,1}.txt`; `counts.json`",
}

// SampleSeed draws the training sentences of a data set with max_train, the same ones for every
// seed of the models.
const SampleSeed = 1

// PrepareSettings has the hashes of the source files, so that changed data are another stage; where
// they lie is the source "dir" (absent for a builtin).
type PrepareSettings struct {
	Name     string   `json:"name"`
	Builtin  string   `json:"builtin,omitempty"`
	Labels   []string `json:"labels"` // always two
	MaxTrain int      `json:"max_train,omitempty"`
	Seed     uint64   `json:"seed,omitempty"` // SampleSeed where MaxTrain > 0
	// TrainExtra is whether train_extra.{0,1}.txt of the source are training sentences too; Hashes
	// has them then
	TrainExtra bool `json:"train_extra,omitempty"`
	// name of a train or dev file -> sha256 in hex; for a builtin of the text it generates
	Hashes map[string]string `json:"hashes"`
}

// Counts is counts.json: what is in one half of a data set, Prepare's or TestSet's.
type Counts struct {
	Name       string            `json:"name"`
	Labels     [2]string         `json:"labels"`
	Sentences  map[string][2]int `json:"sentences"`            // by split, then style
	References bool              `json:"references,omitempty"` // of the test sentences
}
