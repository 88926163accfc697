// Package plan lays out the stages that an experiment needs as a graph without duplicates. A Stage
// is a name, its settings and its inputs; its identity is the hash of all that determines its
// result, so that equal stages are one stage for a whole sweep and for all later ones. New reads
// and hashes the data and says what is wrong with them; nothing runs and nothing is written.
package plan

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Plan is the graph of stages that an experiment needs, without duplicates.
type Plan struct {
	Experiment *experiment.Experiment
	Stages     []*Stage       // inputs before those that need them
	Points     []*PointStages // in the order of Experiment.Points
	// data sets in order, folders of outputs in order, systems by name, the human references last
	Published []PublishedRow
	Data      map[string]*Data     // by data set
	WordNet   WordNet              // zero where there is none
	Given     *metrics.GivenScores // nil: none

	// Lacks is the error of a WordNet or word vectors that the file names and this machine has not:
	// results are read without it, and nothing runs. nil: nothing is missing.
	Lacks error

	encoders map[string]encoderAt // by folder, as far as they were opened
}

// PointStages names the stages of one point.
type PointStages struct {
	Point      experiment.Point
	Prepare    *Stage
	TestSet    *Stage
	Vocab      *Stage
	Classifier *Stage
	FastText   *Stage // nil where it is not asked for
	Unseen     *Stage // judge on the unseen text; nil: there is no such text
	Vectors    *Stage // of the embedding metrics, nil where nothing needs them
	Masks      []*MaskStages
	Models     []*ModelStages

	accuracies  map[*Stage]*Stage // see Accuracy
	measured    inputs            // see Instruments
	instruments func() inputs
}

// Instruments are the stages that outputs are measured with, as the inputs of a score without its
// outputs.
func (p *PointStages) Instruments() map[string]*Stage {
	if p.measured == nil {
		p.measured = p.instruments()
	}
	return p.measured
}

// PlannedInstruments are Instruments where something is planned that they measure, else none.
func (p *PointStages) PlannedInstruments() map[string]*Stage { return p.measured }

// Accuracy is the stage that asks a classifier of the point about the test sentences, nil where
// nothing shows what it says.
func (p *PointStages) Accuracy(model *Stage) *Stage { return p.accuracies[model] }

// Accuracies are all such stages of the point.
func (p *PointStages) Accuracies() []*Stage { return slices.Collect(maps.Values(p.accuracies)) }

// reading returns the inputs of a stage that reads the training or dev sentences, with more beside
// them.
func (p *PointStages) reading(more inputs) inputs {
	in := inputs{"prepare": p.Prepare, "vocab": p.Vocab}
	maps.Copy(in, more)
	return in
}

// testing returns the inputs of a stage that reads the test sentences, with more beside them.
func (p *PointStages) testing(more inputs) inputs {
	in := inputs{"test": p.TestSet, "vocab": p.Vocab}
	maps.Copy(in, more)
	return in
}

// MaskOf returns the masks of the test sentences by a method.
func (p *PointStages) MaskOf(method policy.Method) *Stage {
	for _, m := range p.Masks {
		if m.Method == method {
			return m.TestMask
		}
	}
	return nil
}

// MaskStages are those of one masking method.
type MaskStages struct {
	Method      policy.Method
	LambdaCon   float64 // of the Diversity-LSTM that the method reads: 0 for vanilla attention
	DivLSTM     *Stage
	Attribution *Stage // of the dev sentences, and the training sentences where a model is trained on the masks
	Mask        *Stage // the same
	Score       *Stage // of both masks
	// of the test sentences
	TestAttribution *Stage
	TestMask        *Stage
}

// ModelStages are those of one transfer model trained on one method's masks, with one decoding.
type ModelStages struct {
	Model    string // smlm, smlm-g, smlm-ft
	Method   policy.Method
	Decoding recipe.Decoding
	Train    *Stage
	Transfer *Stage
	Score    *Stage
	Dev      *Stage // the score of its dev outputs, nil where no selection is wanted
}

// PublishedRow is a published system or the human references, scored with the instruments of one or
// more points: there are several rows for one system only where the sweep changes the vocabulary or
// the classifier.
type PublishedRow struct {
	Dataset string
	System  string
	Score   *Stage
}

// New reads and hashes the data of the experiment and lays out its stages. What is wrong with the
// data is said here, all of it, a line for each file.
func New(e *experiment.Experiment) (*Plan, error) {
	b := &builder{
		plan: &Plan{Experiment: e, Data: map[string]*Data{}, encoders: map[string]encoderAt{}},
		byID: map[identity]*Stage{}, identities: newIdentities(),
	}
	var errs []error
	for _, d := range e.Datasets {
		data, err := readData(d)
		errs = append(errs, err)
		b.plan.Data[d.Name] = data
		b.lacks(data.lacks)
	}
	if err := errors.Join(append(errs, b.findWordNet(), b.readScores())...); err != nil {
		return nil, err
	}
	return b.points()
}

// points adds the stages of all points.
func (b *builder) points() (*Plan, error) {
	e := b.plan.Experiment
	sets := map[string]*experiment.Dataset{}
	for _, d := range e.Datasets {
		sets[d.Name] = d
	}
	points := e.Points()
	for i, p := range points {
		if i > 0 && b.plan.Points[i-1].Point.Dataset != p.Dataset {
			b.published(sets[b.plan.Points[i-1].Point.Dataset])
		}
		b.plan.Points = append(b.plan.Points, b.point(sets[p.Dataset], p))
	}
	b.published(e.Datasets[len(e.Datasets)-1])
	if b.err != nil {
		return nil, b.err
	}
	if err := b.plan.checkAgainst(); err != nil {
		return nil, err
	}
	b.label()
	return b.plan, nil
}

// builder adds stages to a plan, each once.
type builder struct {
	plan       *Plan
	byID       map[identity]*Stage
	identities identities
	err        error // the first; of a setting that is not JSON, or that does not fit the data
}

// stage adds a stage where it is new. Nobody may change the inputs afterwards, which several stages
// may share.
func (b *builder) stage(name stage.Name, settings any, inputs inputs, u use) *Stage {
	id, text, err := b.identities.of(name, settings, inputs)
	if err != nil {
		if b.err == nil {
			b.err = err
		}
		return &Stage{Name: name}
	}
	s, ok := b.byID[id]
	if !ok {
		s = &Stage{Name: name, ID: id.String(), Settings: settings, Inputs: inputs, settings: text}
		b.byID[id] = s
		b.plan.Stages = append(b.plan.Stages, s)
	}
	s.uses = append(s.uses, u)
	return s
}

// Short names the stage for humans: its name and the start of its identity.
func (s *Stage) Short() string { return string(s.Name) + " " + s.ID[:min(6, len(s.ID))] }

// Title is Short with what tells the stage from its siblings.
func (s *Stage) Title() string {
	if s.Label == "" {
		return s.Short()
	}
	return s.Short() + " (" + s.Label + ")"
}

// With returns the stages that a point would have with other settings. The plan stays as it is.
func (p *Plan) With(point *PointStages, s experiment.Settings) (*PointStages, error) {
	sets := p.Experiment.Datasets
	i := slices.IndexFunc(sets, func(d *experiment.Dataset) bool { return d.Name == point.Point.Dataset })
	b := &builder{
		plan: &Plan{Experiment: p.Experiment, Data: p.Data, WordNet: p.WordNet, encoders: p.encoders},
		byID: map[identity]*Stage{}, identities: newIdentities(),
	}
	other := point.Point
	other.Settings = s
	out := b.point(sets[i], other)
	return out, b.err
}

// Select lists the stages that match and all that they need, in the plan's order.
func (p *Plan) Select(patterns []string) []*Stage {
	need := map[*Stage]bool{}
	for i := len(p.Stages) - 1; i >= 0; i-- { // inputs stand before those that need them
		if s := p.Stages[i]; need[s] || s.Matches(patterns) {
			need[s] = true
			for _, in := range s.Inputs {
				need[in] = true
			}
		}
	}
	return lists.Where(p.Stages, func(s *Stage) bool { return need[s] })
}

// Resting lists the stages that is means, and all that build on them.
func (p *Plan) Resting(is func(*Stage) bool) map[*Stage]bool {
	rest := map[*Stage]bool{}
	for _, s := range p.Stages { // inputs stand before those that need them
		if is(s) || s.Needs(rest) {
			rest[s] = true
		}
	}
	return rest
}

var errNoMatch = errors.New("there is no such stage")

// CheckPatterns refuses a pattern that means no stage of the plan.
func (p *Plan) CheckPatterns(flag string, patterns []string) error {
	for _, pattern := range patterns {
		if !slices.ContainsFunc(p.Stages, func(s *Stage) bool { return s.Matches([]string{pattern}) }) {
			names := lists.Map(p.Stages, func(s *Stage) stage.Name { return s.Name })
			known := slices.Compact(slices.Sorted(slices.Values(names)))
			return &userr.Error{Code: userr.BadInput, Err: errNoMatch, Text: fmt.Sprintf(
				"%s %s: the plan has no such stage%s: give a name, or at least four digits of an identity",
				flag, pattern, wording.DidYouMean(stage.Name(pattern), known))}
		}
	}
	return nil
}

// Matches says whether one of the patterns, names or starts of identities ("smlm", "3fa9",
// "smlm/3fa9"), means the stage.
func (s *Stage) Matches(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		name, id, both := strings.Cut(filepath.ToSlash(p), "/")
		if both {
			return name == string(s.Name) && strings.HasPrefix(s.ID, id)
		}
		return p == string(s.Name) || (len(p) >= 4 && strings.HasPrefix(s.ID, p))
	})
}
