package plan

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// instruments adds what outputs are measured with, one set a data set, and returns it as the inputs
// of a score. Only what is scored needs it: an experiment that only masks trains no language model.
func (b *builder) instruments(set *experiment.Dataset, ps *PointStages, seed uint64, u use) inputs {
	s := &ps.Point.Settings
	in := ps.testing(inputs{"classifier": ps.Classifier})
	b.addNaturalness(in, set, ps.Prepare, seed, u)
	for _, judge := range s.Metrics.Judges {
		if judge == "bayes" {
			in[judge] = b.stage(stages.Bayes, stages.BayesSettings{}, ps.reading(nil), u)
		} else {
			in[judge] = b.fastText(ps)
		}
		b.accuracy(ps, in[judge], u)
	}
	if s.Metrics.Perplexity {
		in["lm"] = b.stage(stages.LM, stages.LMSettings{Seed: seed, LMSettings: s.LM}, ps.reading(nil), u)
	}
	return in
}

// addNaturalness adds the judges of naturalness to the inputs of a score.
func (b *builder) addNaturalness(in inputs, set *experiment.Dataset, prepare *Stage, seed uint64, u use) {
	for i, n := range b.naturalness(set, b.plan.Data[set.Name], prepare, seed, u) {
		name := "naturalness"
		if i > 0 {
			name = fmt.Sprintf("naturalness.%d", i+1)
		}
		in[name] = n
	}
}

// naturalness adds the judges of naturalness: the files given, or one trained on the spot.
func (b *builder) naturalness(set *experiment.Dataset, data *Data, prepare *Stage, seed uint64, u use) []*Stage {
	if len(set.Naturalness) == 0 {
		return []*Stage{b.stage(stages.Naturalness, stages.NaturalnessSettings{Seed: seed}, inputs{"prepare": prepare}, u)}
	}
	var out []*Stage
	for i, path := range set.Naturalness {
		n := b.stage(
			stages.Naturalness, stages.NaturalnessSettings{File: filepath.Base(path), Hash: data.Weights[i]}, nil, u,
		)
		n.Sources = map[string]string{"file": path}
		out = append(out, n)
	}
	return out
}

// vectors adds the word vectors: those of the file given that the words of the data set and of
// published systems need, or own ones. The file may be missing on this machine: nil.
func (b *builder) vectors(set *experiment.Dataset, ps *PointStages, seed uint64, u use, systems ...System) *Stage {
	data := b.plan.Data[set.Name]
	if set.Vectors == "" {
		return b.stage(stages.Vectors, stages.VectorsSettings{Seed: seed}, inputs{"prepare": ps.Prepare}, u)
	}
	if data.Vectors == "" {
		return nil
	}
	settings := stages.VectorsSettings{
		File: filepath.Base(set.Vectors), Hash: data.Vectors, Words: data.hashTexts(systems...),
	}
	v := b.stage(stages.Vectors, settings, inputs{"prepare": ps.Prepare, "test": ps.TestSet}, u)
	v.Sources = map[string]string{"file": set.Vectors}
	for i, sys := range systems {
		for k, file := range sys.Files {
			v.Sources[fmt.Sprintf("%d.%d", k, i)] = file
		}
	}
	return v
}

// score adds the score of a transfer.
func (b *builder) score(ps *PointStages, transfer *Stage, u use) *Stage {
	in := maps.Clone(ps.Instruments())
	in["transfer"] = transfer
	s := b.stage(stages.Score, b.scoreStage(ps), in, u)
	b.readsFiles(s, ps)
	b.content(s, ps, ps.Vectors, contentOf{inputs: inputs{"transfer": transfer}}, u)
	return s
}

// scoreStage names the sets of references.
func (b *builder) scoreStage(ps *PointStages) (s stages.ScoreSettings) {
	for _, set := range b.plan.Data[ps.Point.Dataset].References {
		s.ReferenceSets = append(s.ReferenceSets, set.Hashes[:]...)
	}
	return s
}

// readsFiles gives a score the files that its settings name.
func (b *builder) readsFiles(s *Stage, ps *PointStages) {
	if s.Sources == nil {
		s.Sources = map[string]string{}
	}
	for k, set := range b.plan.Data[ps.Point.Dataset].References {
		for style, file := range set.Files {
			s.Sources[stages.ReferenceSource(k, style)] = file
		}
	}
}

// systemTables are those that show transfer results: published systems are scored where one of
// them, or the figure of the trade-off, is wanted.
var systemTables = []string{"main", "results", "seeds", "content", "bleu", "intervals", "significance"}

func showsSystems(r *experiment.ReportSettings) bool {
	return slices.Contains(r.Figures, "tradeoff") || slices.ContainsFunc(
		r.Tables, func(t string) bool { return slices.Contains(systemTables, t) },
	)
}

// published adds a row for each published system of the data set and one for its human references.
// Its instruments know nothing of other systems, so that all experiments share it.
func (b *builder) published(set *experiment.Dataset) {
	if !showsSystems(&b.plan.Experiment.Report) {
		return
	}
	data := b.plan.Data[set.Name]
	seen := map[*Stage]bool{}
	add := func(ps *PointStages, system System, outputs stages.Outputs, files map[string]string) {
		outputs.System = system.Name
		u, vectors := use{point: &ps.Point, system: system.Name}, ps.Vectors
		settings := stages.PublishedSettings{Outputs: outputs}
		if !outputs.References { // which are not compared with themselves
			settings.ScoreSettings = b.scoreStage(ps)
		}
		s := b.stage(stages.Published, settings, ps.Instruments(), u)
		if s.Sources = maps.Clone(files); !outputs.References {
			b.readsFiles(s, ps)
		}
		of := contentOf{Outputs: outputs, files: files}
		if outputs.References {
			of.inputs = inputs{"vocab": ps.Vocab} // it says how people's words are to be cut
		} else if vectors != nil && set.Vectors != "" { // it has words that nobody else has
			vectors = b.vectors(set, ps, 0, u, system)
		}
		b.content(s, ps, vectors, of, u)
		if !seen[s] {
			seen[s] = true
			b.plan.Published = append(b.plan.Published, PublishedRow{set.Name, system.Name, s})
		}
	}
	for _, ps := range b.plan.Points {
		if ps.Point.Dataset != set.Name || ps.Point.DevOnly {
			continue
		}
		for _, sys := range data.Systems {
			both := func(s [2]string) map[string]string { return map[string]string{"0": s[0], "1": s[1]} }
			add(ps, sys, stages.Outputs{Hashes: both(sys.Hashes)}, both(sys.Files))
		}
		if data.HasRefs {
			add(ps, System{Name: stages.HumanReferences}, stages.Outputs{References: true}, nil)
		}
	}
}
