package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Prepare is the stage that writes the training and dev sentences of a data set. Stages that train,
// guide or select read them. TestSet writes the test sentences.
const Prepare stage.Name = "prepare"

var prepareStage = stage.Definition{
	Name: Prepare, Version: 2,
	Settings: func(p stage.Point) any { return prepareSettings(p) }, Sources: folderOf,
	Files: "`{train,dev}.{0,1}.txt`, `counts.json`",
	Run:   of(prepare),
}

// PrepareSettings has the hashes of the source files, so that changed data lead to another stage.
// The folder of the files is the source "dir" (absent for a builtin corpus).
type PrepareSettings struct {
	Name     string   `json:"name"`
	Builtin  string   `json:"builtin,omitempty"`
	Labels   []string `json:"labels"` // never empty
	MaxTrain int      `json:"max_train,omitempty"`
	Seed     uint64   `json:"seed,omitempty"` // data.SampleSeed if MaxTrain > 0
	// TrainExtra adds the source's train_extra.{0,1}.txt to the training sentences. Hashes then has
	// them too.
	TrainExtra bool `json:"train_extra,omitempty"`
	// SetAside sets a share of the training sentences aside for judges (Unseen).
	SetAside bool `json:"set_aside,omitempty"`
	// Hashes maps the names of train and dev files to their sha256 in hex. Those of a builtin
	// corpus are of its generated text.
	Hashes map[string]string `json:"hashes"`
}

func prepareSettings(p stage.Point) PrepareSettings {
	set, d := datasetOf(p), p.Data()
	s := PrepareSettings{
		Name: d.Name, Builtin: set.Builtin, Labels: d.Labels, MaxTrain: set.MaxTrain, TrainExtra: set.TrainExtra,
		SetAside: d.Unseen != nil && d.Unseen.From == data.UnseenShare, Hashes: d.HashesOf(false),
	}
	if s.MaxTrain > 0 {
		s.Seed = data.SampleSeed
	}
	return s
}

// Counts is counts.json: the content of Prepare, TestSet or Unseen.
type Counts struct {
	Name       string           `json:"name"`
	Labels     corpus.Styles    `json:"labels"`
	Sentences  map[string][]int `json:"sentences"`            // by split, then style
	References bool             `json:"references,omitempty"` // for the test sentences
	LeftOut    []int            `json:"left_out,omitempty"`   // of an unseen text, by style: also read by models
}

// TestSet is the stage that writes the test sentences of a data set and their references. It is
// separate from Prepare so that the graph of stages shows what depends on them: what rewrites and
// what measures, and nothing that trains, guides or selects (docs/decisions/019).
const TestSet stage.Name = "test-set"

var testSetStage = stage.Definition{
	Name: TestSet, Version: 1,
	Settings: func(p stage.Point) any {
		d := p.Data()
		return TestSetSettings{Name: d.Name, Builtin: datasetOf(p).Builtin, Labels: d.Labels, Hashes: d.HashesOf(true)}
	},
	Sources: folderOf,
	Files: "`test.{0,1}.txt`, `counts.json`; `reference.{0,1}.txt` if the data set has references: line i rewrites " +
		"line i of the test file",
	Run: of(testSet),
}

// TestSetSettings has the hashes of the source files. Their folder is the source "dir" (absent for
// a builtin corpus).
type TestSetSettings struct {
	Name    string   `json:"name"`
	Builtin string   `json:"builtin,omitempty"`
	Labels  []string `json:"labels"` // never empty
	// Hashes maps the names of test and reference files to their sha256 in hex. Those of a builtin
	// corpus are of its generated text.
	Hashes map[string]string `json:"hashes"`
}

// prepare copies the training and dev sentences into the workspace, checked and reduced to
// max_train.
func prepare(_ context.Context, job *stage.Job, s PrepareSettings) error {
	d, _, err := s.read(job)
	if err != nil {
		return err
	}
	return copyData(job, d, nil, corpus.Train, corpus.Dev)
}

// read reads the training and dev sentences that the models see. left are the other training
// sentences, by style.
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
		d.Text[corpus.Train], left = d.SetAside()
	}
	return d, left, nil
}

// testSet copies the test sentences and their references into the workspace, checked.
func testSet(_ context.Context, job *stage.Job, s TestSetSettings) error {
	splits := []corpus.Split{corpus.Test}
	d, err := given(job, s.Name, s.Builtin, s.Labels, splits)
	if err != nil {
		return err
	}
	return copyData(job, d, nil, splits...)
}

// given reads splits of a data set from its folder, or generates a builtin corpus.
func given(job *stage.Job, name, builtin string, labels []string, splits []corpus.Split) (*corpus.Dataset, error) {
	if builtin == "" {
		return corpus.Load(job.Sources["dir"], name, labels, splits...)
	}
	d := corpus.Demo()
	d.Name, d.Labels = name, labels
	return d, nil
}

// copyData writes splits of a data set and their counts.
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
