package plan

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// point adds the stages of one point. The evaluation classifier and the trained naturalness are one
// a data set: their seed is the experiment's first, so that every row is measured by the same
// instruments.
func (b *builder) point(set *experiment.Dataset, p experiment.Point) *PointStages {
	s, data, seed := &p.Settings, b.plan.Data[p.Dataset], b.plan.Experiment.Seeds[0]
	u := use{point: &p}
	out := &PointStages{Point: p, accuracies: map[*Stage]*Stage{}}
	out.Prepare = b.stage(stages.Prepare, data.prepare(set), nil, u)
	out.Prepare.Sources = dataSources(set)
	if !p.DevOnly {
		out.TestSet = b.stage(stages.TestSet, data.testSet(set), nil, u)
		out.TestSet.Sources = dataSources(set)
	}
	out.Vocab = b.stage(stages.Vocab, stages.VocabSettings{VocabSettings: s.Vocab}, inputs{"prepare": out.Prepare}, u)
	if p.DevOnly {
		b.devPoint(set, out, seed, u)
		return out
	}
	out.Classifier = b.stage(stages.Classifier, stages.NewClassifier(s, seed), out.reading(nil), u)
	b.accuracy(out, out.Classifier, u)
	if slices.Contains(s.Classifier.Models, "fasttext") {
		out.FastText = b.fastText(out)
		b.accuracy(out, out.FastText, u)
	}
	out.instruments = func() inputs { return b.instruments(set, out, seed, u) }
	for _, method := range s.Masking.Methods {
		out.Masks = append(out.Masks, b.mask(out, method, use{point: &p, method: method}))
	}
	if len(s.SMLM.Models) > 0 || showsSystems(&b.plan.Experiment.Report) {
		out.Instruments() // before the models: what is wrong with an instrument is found before the long trainings
		if s.Metrics.Embedding {
			out.Vectors = b.vectors(set, out, seed, u)
		}
	}
	for _, m := range out.Masks {
		b.models(out, m, s.SMLM.Models)
	}
	return out
}

// models adds the models that are trained on a method's masks.
func (b *builder) models(out *PointStages, m *MaskStages, models []string) {
	s := &out.Point.Settings
	if slices.Contains(s.Masking.TrainOn, m.Method) {
		mu := use{point: &out.Point}
		if len(s.Masking.TrainOn) > 1 {
			mu.method = m.Method
		}
		for _, model := range models {
			train := b.train(out, model, m, mu)
			for _, decoding := range s.Outputs(model) {
				out.Models = append(out.Models, b.model(out, model, train, m, decoding, mu))
			}
		}
	}
}

// devPoint adds what the search needs of a point that is not chosen: dev outputs of one model, and
// their score. Nothing of it looks at the test set or asks the evaluation classifier.
func (b *builder) devPoint(set *experiment.Dataset, out *PointStages, seed uint64, u use) {
	out.instruments = func() inputs {
		in := inputs{}
		b.addNaturalness(in, set, out.Prepare, seed, u)
		return in
	}
	for _, method := range out.Point.Settings.Masking.TrainOn {
		m := b.mask(out, method, use{point: &out.Point, method: method})
		out.Masks = append(out.Masks, m)
		b.models(out, m, []string{b.plan.Experiment.Search.Model})
	}
}

// fastText adds the fastText-like classifier, one a data set.
func (b *builder) fastText(ps *PointStages) *Stage {
	settings := stages.FastTextSettings{
		Seed: b.plan.Experiment.Seeds[0], FastTextSettings: ps.Point.Settings.FastText,
	}
	return b.stage(stages.FastText, settings, ps.reading(nil), use{point: &ps.Point})
}

// accuracy has a classifier asked about the test sentences.
func (b *builder) accuracy(ps *PointStages, model *Stage, u use) {
	u.model = string(model.Kind)
	ps.accuracies[model] = b.stage(stages.Accuracy, stages.AccuracySettings{}, ps.testing(inputs{"model": model}), u)
}

type inputs = map[string]*Stage
