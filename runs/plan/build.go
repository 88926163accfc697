package plan

import (
	"cmp"
	"errors"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// builder adds stages to a plan without duplicates.
type builder struct {
	plan       *Plan
	byRef      map[stage.Ref]*Stage
	byID       map[identity]*Stage
	identities identities
	err        error // the first: settings that are not JSON
}

func newBuilder(study *data.Study) *builder {
	return &builder{
		plan: &Plan{Study: study}, byRef: map[stage.Ref]*Stage{}, byID: map[identity]*Stage{}, identities: newIdentities(),
	}
}

// get adds a stage if it is new, after the stages that it reads. Different points have one stage if
// their settings and inputs are equal.
func (b *builder) get(of stage.Ref) *Stage {
	d := stages.Definition(of.Name)
	of.Point = d.Scope.Clear(of.Point)
	if s, known := b.byRef[of]; known {
		return s
	}
	s, id, err := b.make(d, of.Point)
	if err != nil {
		b.err = errors.Join(b.err, err)
		return s
	}
	if before, known := b.byID[id]; known {
		s = before
	} else {
		b.byID[id] = s
		b.plan.Stages = append(b.plan.Stages, s)
	}
	s.Points = append(s.Points, of.Point)
	b.byRef[of] = s
	return s
}

// make returns the stage of a definition at a point, with its inputs, and its identity.
func (b *builder) make(d *stage.Definition, p stage.Point) (*Stage, identity, error) {
	s := &Stage{Name: d.Name, Inputs: map[string]*Stage{}, Settings: d.Settings(p)}
	if d.Reads != nil {
		in := d.Reads(p)
		for _, name := range inOrder(in) {
			s.Inputs[name] = b.get(in[name])
		}
	}
	if d.Sources != nil {
		s.Sources = d.Sources(p)
	}
	id, text, err := b.identities.of(d.Name, s.Settings, s.Inputs)
	s.ID, s.settings = id.String(), text
	return s, id, err
}

// inOrder lists the names of inputs: those of earlier stages of the study first.
func inOrder(in stage.Inputs) []string {
	names := make([]string, 0, len(in))
	for name := range in {
		names = append(names, name)
	}
	place := func(name string) int { return slices.Index(stages.Names(), in[name].Name) }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(place(a)-place(b), cmp.Compare(a, b)) })
	return names
}

// point adds everything that the experiment shows of a point.
func (b *builder) point(of *experiment.Point) {
	p := b.plan.at(of)
	b.get(stage.Ref{Name: stages.Prepare, Point: p}) // first of all, so that errors in the data are found
	b.accuracy(p, stages.Classifier)
	if slices.Contains(p.Settings.Classifier.Models, "fasttext") {
		b.accuracy(p, stages.FastText)
	}
	for _, method := range p.Settings.Masking.Methods {
		p := p
		p.Method = method
		b.accuracy(p, stages.DivLSTM)
		b.show(stages.MaskScore, p)
	}
	if len(p.Settings.SMLM.Models) > 0 || showsSystems(&b.plan.Study.Experiment.Report) {
		b.instruments(p) // before the models, so that errors in an instrument are found before long training runs
	}
	for _, model := range Models(p) {
		b.content(b.show(stages.Score, model), model)
		if slices.Contains(b.plan.Study.Experiment.Report.Tables, "selection") {
			b.show(stages.Score, model.With(corpus.Dev.String()))
		}
	}
}

// show adds a stage whose result the experiment shows.
func (b *builder) show(name stage.Name, p stage.Point) *Stage {
	s := b.get(stage.Ref{Name: name, Point: p})
	s.shown = true
	return s
}

// accuracy adds the measurement of a classifier's accuracy on the test sentences.
func (b *builder) accuracy(p stage.Point, model stage.Name) {
	p.Model = string(model)
	b.show(stages.Accuracy, p)
}

// instruments adds what measures outputs.
func (b *builder) instruments(p stage.Point) {
	in := stages.Instruments(p)
	for _, name := range inOrder(in) {
		b.get(in[name])
	}
	if slices.Contains(p.Settings.Metrics.Judges, string(stages.FastText)) {
		b.accuracy(p, stages.FastText)
	}
	if p.Data().Unseen != nil {
		b.accuracy(p, stages.UnseenCNN)
	}
}

// Models lists the transfer models of a point, with the masks that they are trained on and their
// decodings.
func Models(p stage.Point) (models []stage.Point) {
	s := p.Settings
	for _, method := range s.Masking.Methods {
		if !slices.Contains(s.Masking.TrainOn, method) {
			continue
		}
		for _, p.Model = range s.SMLM.Models {
			for _, p.Decoding = range s.Outputs(p.Model) {
				p.Method = method
				models = append(models, p)
			}
		}
	}
	return models
}

// Masks lists the masking methods of a point.
func Masks(p stage.Point) (masks []stage.Point) {
	for _, p.Method = range p.Settings.Masking.Methods {
		masks = append(masks, p)
	}
	return masks
}

// systemTables are the tables with transfer results. Published systems are scored only if one of
// them, or the figure of the trade-off, is wanted.
var systemTables = []string{
	"main", "results", "directions", "seeds", "content", "bleu", "intervals", "significance",
}

func showsSystems(r *experiment.ReportSettings) bool {
	return slices.Contains(r.Figures, "tradeoff") || slices.ContainsFunc(
		r.Tables, func(t string) bool { return slices.Contains(systemTables, t) },
	)
}

// published adds the scores of the published systems of a point's data set and of its human
// references. Its instruments do not depend on other systems, so experiments share its stages.
func (b *builder) published(of *experiment.Point) {
	if !showsSystems(&b.plan.Study.Experiment.Report) {
		return
	}
	p := b.plan.at(of)
	systems := p.Data().Systems
	if p.Data().HasRefs {
		systems = append(slices.Clip(systems), p.Data().People)
	}
	for _, p.System = range systems {
		b.content(b.show(stages.Published, p), p)
	}
}

// content adds the stages that Content lists for one score. If this machine lacks the data for a
// stage, such as WordNet, the stage is not part of the plan and has no identity, but it has a key
// (OfSame).
func (b *builder) content(score *Stage, p stage.Point) {
	study, metrics := b.plan.Study, &p.Settings.Metrics
	add := func(name stage.Name, has bool) {
		d := stages.Definition(name)
		var s *Stage
		if has {
			s = b.get(stage.Ref{Name: name, Point: p})
		} else {
			s = &Stage{Name: name, Settings: d.Settings(p), Inputs: map[string]*Stage{}}
			for input, of := range d.Reads(p) {
				if of.Name != stages.Encoder { // which cannot be read
					s.Inputs[input] = b.get(of)
				}
			}
		}
		if !slices.ContainsFunc(score.content, func(o *Stage) bool { return o.Name == name && o.ID == s.ID }) {
			score.content = append(score.content, s)
		}
	}
	if study.Experiment.WordNet != experiment.NoWordNet {
		add(stages.METEOR, study.WordNet.Dir != "")
	}
	add(stages.Embedding, !p.Data().LacksVectors())
	if metrics.Encoder != "" {
		add(stages.BERTScore, study.Encoder(metrics.Encoder).Err == nil)
	}
}

// severalMethods reports whether any point has several masking methods.
func (p *Plan) severalMethods() bool {
	return slices.ContainsFunc(p.Points, func(of experiment.Point) bool { return len(of.Settings.Masking.Methods) > 1 })
}

// ofSystem reports whether a stage scores a published system.
func (s *Stage) ofSystem() bool { return s.Name == stages.Published }
