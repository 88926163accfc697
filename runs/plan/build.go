package plan

import (
	"cmp"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// builder adds stages to a plan without duplicates.
type builder struct {
	plan  *Plan
	byID  map[string]*Stage
	names []stage.Name // names of all stages, in the order of the study
}

func newBuilder(study *data.Study) *builder {
	return &builder{
		plan: &Plan{Study: study, refs: map[stage.Ref]*Stage{}}, byID: map[string]*Stage{}, names: stages.Names(),
	}
}

// get returns the stage for a reference. If the stage is new, get adds it to the plan, after the
// stages that it reads. Points of a sweep share a stage if its settings and inputs are equal at
// these points.
func (b *builder) get(of stage.Ref) *Stage {
	d := stages.Definition(of.Name)
	of.Point = d.Scope.Clear(of.Point)
	if s, known := b.plan.refs[of]; known {
		return s
	}
	s := b.make(d, of.Point)
	if before, known := b.byID[s.ID]; known {
		s = before
	} else {
		b.byID[s.ID] = s
		b.plan.Stages = append(b.plan.Stages, s)
	}
	s.Points = append(s.Points, of.Point)
	b.plan.refs[of] = s
	return s
}

// make creates the stage of a definition at a point of the sweep, and computes the stage's
// identity. It adds the inputs to the plan, but not the stage itself.
func (b *builder) make(d *stage.Definition, p stage.Point) *Stage {
	s := &Stage{Name: d.Name, Inputs: map[string]*Stage{}, Settings: settingsOf(d, p)}
	if d.Reads != nil {
		in := d.Reads(p)
		for _, name := range inOrder(in) {
			s.Inputs[name] = b.get(in[name])
		}
	}
	if d.Sources != nil {
		s.Sources = d.Sources(p)
	}
	s.ID = identity(d.Name, s.Settings, s.Inputs)
	return s
}

// settingsOf returns the settings of a stage, or an empty struct if nothing can be set.
func settingsOf(d *stage.Definition, p stage.Point) any {
	if d.Settings == nil {
		return struct{}{}
	}
	return d.Settings(p)
}

// inOrder returns the names of the inputs, sorted by the place of their stages in the order of the
// study, then by name.
func inOrder(in stage.Inputs) []string {
	names := make([]string, 0, len(in))
	for name := range in {
		names = append(names, name)
	}
	place := func(name string) int { return stages.Definition(in[name].Name).Place }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(place(a)-place(b), cmp.Compare(a, b)) })
	return names
}

// The method all plans everything that the experiment shows at the given points of the sweep: first
// the results of all points, then the published systems.
func (b *builder) all(points []experiment.Point) *Plan {
	b.plan.Points = points
	for _, published := range []bool{false, true} {
		for i := range points {
			b.point(&points[i], published)
		}
	}
	return b.plan
}

// point adds the results that the experiment shows at one point of the sweep, in the order of the
// study. If published is set, it adds only the results of published systems. Otherwise it adds all
// other results.
func (b *builder) point(of *experiment.Point, published bool) {
	p := b.plan.at(of)
	b.early(p)
	for _, name := range b.names {
		d := stages.Definition(name)
		if d.Shown == nil || (name == stages.Published) != published {
			continue
		}
		for _, at := range d.Shown(p) {
			s := b.get(stage.Ref{Name: name, Point: at})
			if s.shown = true; d.Beside && !at.OfDev() {
				b.content(s, at)
			}
		}
	}
}

// early adds the stages that read the user's files: the data set and, if outputs are scored, word
// vectors. They run before all trainings, so that the user soon hears of errors in these files.
func (b *builder) early(p stage.Point) {
	b.get(stage.Ref{Name: stages.Prepare, Point: p})
	if p.Data().Vectors != "" && len(stages.Definition(stages.Score).Shown(p)) > 0 {
		b.get(stage.Ref{Name: stages.Vectors, Point: p})
	}
}

// content adds the stages that compute METEOR, the embedding metrics and BERTScore for one score.
// It leaves out stages for which this machine lacks the files, for example WordNet.
func (b *builder) content(score *Stage, p stage.Point) {
	study, encoder := b.plan.Study, p.Settings.Metrics.Encoder
	add := func(name stage.Name, has bool) {
		if has {
			score.content = lists.AddOnce(score.content, b.get(stage.Ref{Name: name, Point: p}))
		}
	}
	add(stages.METEOR, study.WordNet.Dir != "")
	add(stages.Embedding, p.Data().Vectors != "")
	add(stages.BERTScore, encoder != "" && study.Encoder(encoder).Err == nil)
}
