package stages

import (
	"context"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Prepare is the stage that writes the training and dev sentences of a data set. These sentences
// are for stages that train, guide or select. TestSet writes the test sentences.
const Prepare stage.Name = "prepare"

var prepareStage = stage.Definition{
	Name: Prepare, Version: 3,
	Settings: func(p stage.Point) any { return prepareSettings(p) }, Sources: folderOf,
	Files: "`{train,dev}.{0,1}.txt`, `counts.json`",
	Run:   of(prepare),
}

// PrepareSettings has the hashes of the source files, so that changed data lead to another stage.
// The folder of the files is Job.Sources["dir"], which a builtin corpus does not have.
type PrepareSettings struct {
	Name     string   `json:"name"`
	Builtin  string   `json:"builtin,omitempty"`
	Labels   []string `json:"labels"` // never empty
	MaxTrain int      `json:"max_train,omitempty"`
	Seed     uint64   `json:"seed,omitempty"` // data.SampleSeed if MaxTrain > 0
	// TrainExtra adds the source's train_extra.{0,1}.txt to the training sentences. Hashes then
	// includes these files.
	TrainExtra bool `json:"train_extra,omitempty"`
	// SetAside keeps a share of the training sentences for judges of style (see Unseen). Models do
	// not read this share.
	SetAside bool `json:"set_aside,omitempty"`
	// Hashes maps the names of train and dev files to their sha256 in hex. For a builtin corpus
	// they are hashes of its generated text.
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

// Counts is counts.json: how many sentences Prepare, TestSet or Unseen wrote.
type Counts struct {
	Name       string           `json:"name"`
	Labels     corpus.Styles    `json:"labels"`
	Sentences  map[string][]int `json:"sentences"`            // number of sentences, by split and style
	References bool             `json:"references,omitempty"` // whether the test sentences have references
	LeftOut    []int            `json:"left_out,omitempty"`   // sentences left out of an unseen text, by style
}

// Of returns the number of sentences of a split, by style.
func (c *Counts) Of(split corpus.Split) []int { return c.Sentences[split.String()] }

// Size returns the number of sentences of a split, and the share of its largest style in percent.
func (c *Counts) Size(split corpus.Split) (n int, majority float64) {
	largest := 0
	for _, size := range c.Of(split) {
		n, largest = n+size, max(largest, size)
	}
	return n, 100 * float64(largest) / float64(max(n, 1))
}

// ReadCounts reads the counts of a finished stage that writes text.
func ReadCounts(f stage.Finished) (*Counts, error) {
	c := new(Counts)
	return c, f.Read("counts.json", c)
}

// TestSet is the stage that writes the test sentences of a data set and their references. It is
// separate from Prepare, so that the graph of stages shows which stages depend on test sentences.
// Only stages that rewrite or measure may depend on them. Stages that train, guide or select may
// not (docs/decisions/019).
const TestSet stage.Name = "test-set"

var testSetStage = stage.Definition{
	Name: TestSet, Version: 2,
	Settings: func(p stage.Point) any {
		d := p.Data()
		return TestSetSettings{Name: d.Name, Builtin: datasetOf(p).Builtin, Labels: d.Labels, Hashes: d.HashesOf(true)}
	},
	Reads: func(p stage.Point) stage.Inputs { return stage.Inputs{"prepare": at(Prepare, p)} }, Sources: folderOf,
	Inputs: "prepare (for warnings)",
	Files: "`test.{0,1}.txt`, `counts.json`; `reference.{0,1}.txt` if the data set has references: line i rewrites " +
		"line i of the test file",
	Shown:   func(p stage.Point) []stage.Point { return []stage.Point{p} },
	Records: sizeRecords,
	Run:     of(testSet),
}

// TestSetSettings has the hashes of the source files. Their folder is Job.Sources["dir"], which a
// builtin corpus does not have.
type TestSetSettings struct {
	Name    string   `json:"name"`
	Builtin string   `json:"builtin,omitempty"`
	Labels  []string `json:"labels"` // never empty
	// Hashes maps the names of test and reference files to their sha256 in hex. For a builtin
	// corpus they are hashes of its generated text.
	Hashes map[string]string `json:"hashes"`
}

// prepare checks the training and dev sentences, reduces the training sentences to max_train, and
// copies both into the workspace.
func prepare(_ context.Context, job *stage.Job, s PrepareSettings) error {
	d, _, err := s.read(job)
	if err != nil {
		return err
	}
	return copyData(job, d, nil, corpus.Train, corpus.Dev)
}

// read returns the training and dev sentences that the models see. The result "left" has the
// remaining training sentences, by style.
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

// testSet checks the test sentences and their references and copies them into the workspace.
func testSet(_ context.Context, job *stage.Job, s TestSetSettings) error {
	splits := []corpus.Split{corpus.Test}
	d, err := given(job, s.Name, s.Builtin, s.Labels, splits)
	if err != nil {
		return err
	}
	trained, err := dataset(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	trained.Text[corpus.Test] = d.Text[corpus.Test]
	warnTest(job, trained)
	for of, refs := range d.References() {
		warnLines(job, "datasets."+s.Name+": "+corpus.RefName(d.Labels, of), "references", d.Text[corpus.Test][of.From], refs)
	}
	return copyData(job, d, nil, splits...)
}

// warnTest warns if many test sentences are also training or dev sentences. A few are normal.
func warnTest(job *stage.Job, set *corpus.Dataset) {
	for style, n := range set.TestAlsoIn(corpus.Train) {
		if all := len(set.Text[corpus.Test][style]); 2*n > all {
			job.Warn(fmt.Sprintf("datasets.%s: %d of %s in the style %s are also training sentences, so results include "+
				"what was learnt by heart: remove them from the training text, or test on others", set.Name, n,
				wording.Count(all, "test sentence"), set.Labels[style]))
		}
	}
	if in := set.TestOverlap(corpus.Dev); in.Suspect() {
		job.Warn(fmt.Sprintf("datasets.%s: %d of %s are also dev sentences, so settings chosen on the dev set are "+
			"measured on the same sentences: remove them from the dev set (`smlm-exp data report` compares all splits)",
			set.Name, in.Equal, wording.Count(in.Sentences, "test sentence")))
	}
}

// warnLines warns if lines are tokenised differently from their sources, or shifted against them.
// The argument "of" names the file of the lines. The argument "texts" is "outputs" or "references".
func warnLines(job *stage.Job, of, texts string, sources, lines []corpus.Sentence) {
	warnOf(job, of, metrics.TokenisationWarning(texts, sources, lines))
	warnOf(job, of, metrics.ShiftWarning(texts, sources, lines))
}

// warnOf adds a warning about a file. It does nothing if the parameter sentence is empty.
func warnOf(job *stage.Job, file, sentence string) {
	if sentence != "" {
		job.Warn(file + ": " + sentence)
	}
}

// sizeRecords returns one record per style with the numbers of sentences of a data set.
func sizeRecords(f stage.Finished) (records []*report.Record, err error) {
	p := f.At()
	data, set := p.Data(), datasetOf(p)
	train, err := ReadCounts(f.Input("prepare"))
	if err != nil {
		return nil, err
	}
	test, err := ReadCounts(f)
	if err != nil {
		return nil, err
	}
	for style, label := range data.Labels {
		r := &report.Record{
			From: report.FromDatasets,
			Axes: []report.Axis{{Key: report.Dataset, Value: set.Name}, {Key: "style", Value: label}},
			Values: metrics.Values{
				"train": float64(train.Of(corpus.Train)[style]), "dev": float64(train.Of(corpus.Dev)[style]),
				"test": float64(test.Of(corpus.Test)[style]),
			},
		}
		hasRefs := func(way corpus.Direction) bool { return way.From == style && data.HasRefs(way) }
		if slices.ContainsFunc(data.Directions, hasRefs) {
			r.Values["references"] = r.Values["test"] // corpus.Load requires a reference for every test sentence
		}
		if set.Builtin == "" {
			r.Paper = paper.StyleName(set.Name, style)
		}
		records = append(records, r)
	}
	return records, nil
}

// The function "given" reads splits of a data set from its folder, or generates a builtin corpus.
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
