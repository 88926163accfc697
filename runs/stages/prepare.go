package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Prepare writes the training and dev sentences of a data set as all that trains, guides and
// selects reads them. The test sentences are TestSet's.
const Prepare stage.Name = "prepare"

var prepareStage = stage.Definition{
	Name: Prepare, Version: 2, Inputs: "",
	Files: "`{train,dev}.{0,1}.txt`, `counts.json`",
	Run:   of(prepare),
}

// SampleSeed draws the training sentences of a data set with max_train, the same ones for every
// seed of the models.
const SampleSeed = 1

// PrepareSettings has the hashes of the source files, so that changed data are another stage; where
// they lie is the source "dir" (absent for a builtin).
type PrepareSettings struct {
	Name     string   `json:"name"`
	Builtin  string   `json:"builtin,omitempty"`
	Labels   []string `json:"labels"` // always there
	MaxTrain int      `json:"max_train,omitempty"`
	Seed     uint64   `json:"seed,omitempty"` // SampleSeed where MaxTrain > 0
	// TrainExtra is whether train_extra.{0,1}.txt of the source are training sentences too; Hashes
	// has them then
	TrainExtra bool `json:"train_extra,omitempty"`
	// SetAside is whether a share of the training sentences is set aside for judges (Unseen).
	SetAside bool `json:"set_aside,omitempty"`
	// name of a train or dev file -> sha256 in hex; for a builtin of the text it generates
	Hashes map[string]string `json:"hashes"`
}

// Counts is counts.json: what is in one half of a data set, Prepare's or TestSet's.
type Counts struct {
	Name       string           `json:"name"`
	Labels     corpus.Styles    `json:"labels"`
	Sentences  map[string][]int `json:"sentences"`            // by split, then style
	References bool             `json:"references,omitempty"` // of the test sentences
	LeftOut    []int            `json:"left_out,omitempty"`   // of an unseen text: by style, those that the models read
}

// TestSet writes the test sentences of a data set and their references. It is a stage apart from
// Prepare so that the graph of stages shows what rests on them: what writes in other styles and
// what measures, and nothing that trains, guides or selects (docs/decisions/019).
const TestSet stage.Name = "test-set"

var testSetStage = stage.Definition{
	Name: TestSet, Version: 1, Inputs: "",
	Files: "`test.{0,1}.txt`, `counts.json`; `reference.{0,1}.txt` if the data set has references: line i rewrites " +
		"line i of the test file",
	Run: of(testSet),
}

// TestSetSettings has the hashes of the source files; where they lie is the source "dir" (absent
// for a builtin).
type TestSetSettings struct {
	Name    string   `json:"name"`
	Builtin string   `json:"builtin,omitempty"`
	Labels  []string `json:"labels"` // always there
	// name of a test or reference file -> sha256 in hex; for a builtin of the text it generates
	Hashes map[string]string `json:"hashes"`
}

// prepare copies the training and dev sentences, checked and cut to max_train, into the workspace.
func prepare(_ context.Context, job *stage.Job, s PrepareSettings) error {
	d, _, err := s.read(job)
	if err != nil {
		return err
	}
	return copyData(job, d, nil, corpus.Train, corpus.Dev)
}

// read reads the training and dev sentences that the models see, and returns by style those
// training sentences beside them that they do not see.
func (s PrepareSettings) read(job *stage.Job) (d *corpus.Dataset, left [][]corpus.Sentence, err error) {
	if d, err = given(job, s.Name, s.Builtin, s.Labels, []corpus.Split{corpus.Train, corpus.Dev}); err != nil {
		return nil, nil, err
	}
	if s.TrainExtra {
		extra, err := corpus.ReadExtra(job.Sources["dir"], d.Labels)
		if err != nil {
			return nil, nil, err
		}
		d.AddExtra(extra)
	}
	left = d.Sample(s.MaxTrain, s.Seed)
	if s.SetAside {
		d.Text[corpus.Train], left = d.Apart()
	}
	return d, left, nil
}

// testSet copies the test sentences, checked, and their references.
func testSet(_ context.Context, job *stage.Job, s TestSetSettings) error {
	splits := []corpus.Split{corpus.Test}
	d, err := given(job, s.Name, s.Builtin, s.Labels, splits)
	if err != nil {
		return err
	}
	return copyData(job, d, nil, splits...)
}

// given reads splits of a data set from where the experiment has it.
func given(job *stage.Job, name, builtin string, labels []string, splits []corpus.Split) (*corpus.Dataset, error) {
	if builtin == "" {
		return corpus.Load(job.Sources["dir"], name, labels, splits...)
	}
	d := corpus.Demo()
	d.Name, d.Labels = name, labels
	return d, nil
}

// copyData writes splits of a data set, and what is in them and was left out of them.
func copyData(job *stage.Job, d *corpus.Dataset, leftOut []int, splits ...corpus.Split) error {
	if err := d.Save(job.Dir, splits...); err != nil {
		return err
	}
	counts := Counts{Name: d.Name, Labels: d.Labels, Sentences: map[string][]int{}, LeftOut: leftOut}
	for _, split := range splits {
		counts.Sentences[split.String()] = lists.Map(d.Text[split], func(s []corpus.Sentence) int { return len(s) })
		counts.References = split == corpus.Test && d.HasRefs()
	}
	return writeJSON(job.Dir, "counts.json", counts)
}
