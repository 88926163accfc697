package stages

import "github.com/smlm-exp/smlm-exp/runs/stage"

// TestSet writes the test sentences of a data set and their references. It is a stage apart from
// Prepare so that the graph of stages shows what rests on them: what writes in the other style and
// what measures, and nothing that trains, guides or selects (docs/decisions/019).
const TestSet stage.Kind = "test-set"

var testSetKind = stage.Definition{
	Name: TestSet, Version: 1, Inputs: "",
	Files: "`test.{0,1}.txt`; `reference.{0,1}.txt` where the data set has references, line i for line i of the " +
		"test file; `counts.json`",
}

// TestSetSettings has the hashes of the source files; where they lie is the source "dir" (absent
// for a builtin).
type TestSetSettings struct {
	Name    string   `json:"name"`
	Builtin string   `json:"builtin,omitempty"`
	Labels  []string `json:"labels"` // always two
	// name of a test or reference file -> sha256 in hex; for a builtin of the text it generates
	Hashes map[string]string `json:"hashes"`
}
