package kind

// Prepare writes a data set as all other stages read it.
const Prepare Kind = "prepare"

var prepare = Definition{
	Name: Prepare, Version: 1, Inputs: "",
	Files: "`{train,dev,test}.{0,1}.txt`; `reference.{0,1}.txt` where the data set has references, line i for " +
		"line i of the test file; `counts.json`",
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
	// file name -> sha256 in hex; for a builtin of the text it generates
	Hashes map[string]string `json:"hashes"`
}

// Counts is counts.json: what is in a prepared data set.
type Counts struct {
	Name       string    `json:"name"`
	Labels     [2]string `json:"labels"`
	Sentences  [3][2]int `json:"sentences"` // by split (train, dev, test), then style
	References bool      `json:"references"`
}
