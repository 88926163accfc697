// Package plan lays out the stages that an experiment needs as a graph without duplicates. A Stage
// is a name, its settings and its inputs. Its identity is the hash of all that determines its
// result, so equal stages are one stage, within a sweep and in later ones. New reads and hashes the
// data and reports errors in them. It runs and writes nothing.
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
	// Published is in the order of the data sets, then of their folders of outputs, then by system;
	// the human references are last.
	Published []PublishedRow
	Data      map[string]*Data     // by data set
	WordNet   WordNet              // zero: none
	Given     *metrics.GivenScores // nil: none

	// Lacks is set if WordNet, word vectors or a measuring encoder that the file names are missing
	// on this machine. Results can be read without them, but nothing runs.
	Lacks error

	encoders map[string]encoderAt // by folder, those opened so far
}

// PointStages are the stages of one point.
type PointStages struct {
	Point      experiment.Point
	Prepare    *Stage
	TestSet    *Stage
	Vocab      *Stage
	Classifier *Stage
	FastText   *Stage // nil if not wanted
	Unseen     *Stage // judge of unseen text; nil if there is no such text
	Vectors    *Stage // of the embedding metrics; nil if nothing needs them or their file is missing
	Masks      []*MaskStages
	Models     []*ModelStages

	accuracies  map[*Stage]*Stage // see Accuracy
	measured    inputs            // see Instruments
	instruments func() inputs
}

// Instruments returns the stages that measure outputs: the inputs of a score without its outputs.
func (p *PointStages) Instruments() map[string]*Stage {
	if p.measured == nil {
		p.measured = p.instruments()
	}
	return p.measured
}

// PlannedInstruments returns Instruments if the plan has outputs for them to measure, else nil.
func (p *PointStages) PlannedInstruments() map[string]*Stage { return p.measured }

// Accuracy returns the stage that measures a classifier's accuracy on the test sentences, or nil if
// nothing shows it.
func (p *PointStages) Accuracy(model *Stage) *Stage { return p.accuracies[model] }

// Accuracies returns the stages that measure the accuracy of the point's classifiers.
func (p *PointStages) Accuracies() []*Stage { return slices.Collect(maps.Values(p.accuracies)) }

// reading returns the inputs of a stage that reads training or dev sentences: the sentences, the
// vocabulary, and those in more.
func (p *PointStages) reading(more inputs) inputs {
	in := inputs{"prepare": p.Prepare, "vocab": p.Vocab}
	maps.Copy(in, more)
	return in
}

// testing returns the inputs of a stage that reads test sentences: the sentences, the vocabulary,
// and those in more.
func (p *PointStages) testing(more inputs) inputs {
	in := inputs{"test": p.TestSet, "vocab": p.Vocab}
	maps.Copy(in, more)
	return in
}

// MaskOf returns the stage of a method's masks of the test sentences.
func (p *PointStages) MaskOf(method policy.Method) *Stage {
	for _, m := range p.Masks {
		if m.Method == method {
			return m.TestMask
		}
	}
	return nil
}

// MaskStages are the stages of one masking method.
type MaskStages struct {
	Method      policy.Method
	LambdaCon   float64 // of the method's Diversity-LSTM: 0 for vanilla attention
	DivLSTM     *Stage
	Attribution *Stage // of dev sentences, and of training sentences if a model is trained on the masks
	Mask        *Stage // of the same sentences
	Score       *Stage // of both masks
	// for the test sentences
	TestAttribution *Stage
	TestMask        *Stage
}

// ModelStages are the stages of one transfer model that is trained on one method's masks, with one
// decoding.
type ModelStages struct {
	Model    string // smlm, smlm-g, smlm-ft
	Method   policy.Method
	Decoding recipe.Decoding
	Train    *Stage
	Transfer *Stage
	Score    *Stage
	Dev      *Stage // the score of its dev outputs; nil without the table selection
}

// PublishedRow is a published system or the human references, scored with the instruments of one or
// more points. A system has several rows only if the sweep changes the instruments.
type PublishedRow struct {
	Dataset string
	System  string
	Score   *Stage
}

// New reads and hashes the data of the experiment and lays out its stages. Its error lists
// everything that is wrong with the data, one line per file.
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

// builder adds stages to a plan without duplicates.
type builder struct {
	plan       *Plan
	byID       map[identity]*Stage
	identities identities
	err        error // the first: settings that are not JSON or do not fit the data
}

// stage adds a stage if it is new. The inputs must not be changed afterwards; several stages may
// share them.
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

// Short names the stage for people: its name and the start of its identity.
func (s *Stage) Short() string { return string(s.Name) + " " + s.ID[:min(6, len(s.ID))] }

// Title is Short with the label.
func (s *Stage) Title() string {
	if s.Label == "" {
		return s.Short()
	}
	return s.Short() + " (" + s.Label + ")"
}

// With returns the stages that a point would have with other settings. It does not change the plan.
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

// Select lists the stages that match a pattern and everything that they need, in the plan's order.
func (p *Plan) Select(patterns []string) []*Stage {
	need := map[*Stage]bool{}
	for i := len(p.Stages) - 1; i >= 0; i-- { // inputs come before the stages that need them
		if s := p.Stages[i]; need[s] || s.Matches(patterns) {
			need[s] = true
			for _, in := range s.Inputs {
				need[in] = true
			}
		}
	}
	return lists.Where(p.Stages, func(s *Stage) bool { return need[s] })
}

// Resting returns the stages for which the function is returns true, and everything built on them.
func (p *Plan) Resting(is func(*Stage) bool) map[*Stage]bool {
	rest := map[*Stage]bool{}
	for _, s := range p.Stages { // inputs come before the stages that need them
		if is(s) || s.Needs(rest) {
			rest[s] = true
		}
	}
	return rest
}

var errNoMatch = errors.New("there is no such stage")

// CheckPatterns returns an error if a pattern matches no stage of the plan.
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

// Matches reports whether the stage matches one of the patterns: a name or the start of an identity
// ("smlm", "3fa9", "smlm/3fa9").
func (s *Stage) Matches(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		name, id, both := strings.Cut(filepath.ToSlash(p), "/")
		if both {
			return name == string(s.Name) && strings.HasPrefix(s.ID, id)
		}
		return p == string(s.Name) || (len(p) >= 4 && strings.HasPrefix(s.ID, p))
	})
}
