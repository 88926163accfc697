package plan

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Content lists the stages of METEOR and the embedding metrics of the outputs that s, a score, is
// of, where a point wants them: all that may be had with what is on this machine. One of a kind
// that this machine lacks the data for is no stage of the plan, has no identity and says only what
// it would be of (OfSame).
func (s *Stage) Content() []*Stage { return s.content }

// contentOf are the outputs: a transfer's, among the inputs, or those of files.
type contentOf struct {
	inputs
	stages.Outputs
	files map[string]string
}

// content adds what Content lists for one score.
func (b *builder) content(score *Stage, ps *PointStages, vectors *Stage, of contentOf, u use) {
	in, m := inputs{"test": ps.TestSet}, &ps.Point.Settings.Metrics
	maps.Copy(in, of.inputs)
	add := func(k stage.Kind, settings any, in inputs, has bool, sources map[string]string) {
		s := &Stage{Kind: k, Settings: settings, Inputs: in}
		if has {
			s = b.stage(k, settings, in, u)
			s.Sources = sources
		}
		if !slices.ContainsFunc(score.content, func(o *Stage) bool { return o.Kind == k && o.ID == s.ID }) {
			score.content = append(score.content, s)
		}
	}
	if m.METEOR {
		sources, wordNet := map[string]string{"wordnet": b.plan.WordNet.Dir}, b.plan.WordNet.Version
		maps.Copy(sources, of.files)
		add(stages.METEOR, stages.METEORSettings{WordNet: wordNet, Outputs: of.Outputs}, in,
			b.plan.WordNet.Dir != "", sources)
	}
	if m.Embedding {
		with := maps.Clone(in)
		if vectors != nil {
			with["vectors"] = vectors
		}
		add(stages.Embedding, stages.EmbeddingSettings{Outputs: of.Outputs}, with, vectors != nil, of.files)
	}
}

// OfSame returns what a stage of Content's kinds is of, its inputs and settings but for WordNet and
// word vectors: equal for equal outputs, whatever they were measured with.
func (s *Stage) OfSame() (string, error) {
	text, err := s.SettingsJSON()
	if err != nil {
		return "", err
	}
	ids := map[string]string{}
	for name, in := range s.Inputs {
		ids[name] = in.ID
	}
	return OfSame(text, ids)
}

// OfSame is Stage.OfSame of the settings and the identities of the inputs as stage.json has them.
func OfSame(settings []byte, inputs map[string]string) (string, error) {
	values, inputs := map[string]any{}, maps.Clone(inputs)
	if err := json.Unmarshal(settings, &values); err != nil {
		return "", err
	}
	delete(values, "wordnet")
	delete(inputs, "vectors")
	text, err := Canonical(map[string]any{"settings": values, "inputs": inputs})
	return string(text), err
}

// lacks notes the first thing that is missing.
func (b *builder) lacks(err error) {
	if b.plan.Lacks == nil {
		b.plan.Lacks = err
	}
}
