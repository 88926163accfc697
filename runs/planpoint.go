package runs

import (
	"path/filepath"
	"slices"
)

// point adds the stages of one point. The evaluation classifier and the trained naturalness are one a data set: their seed is the
// experiment's first, so that every row is measured by the same instruments.
func (b *builder) point(set *Dataset, p Point) PointStages {
	s, data, seed := &p.Settings, b.plan.Data[p.Dataset], b.plan.Experiment.Seeds[0]
	u := use{point: &p}
	out := PointStages{Point: p}
	prepare, sources := data.prepare(set)
	out.Prepare = b.stage(KindPrepare, prepare, nil, u)
	out.Prepare.Sources = sources
	out.Vocab = b.stage(KindVocab, VocabStage{s.Vocab}, inputs{"prepare": out.Prepare}, u)
	out.Naturalness = b.naturalness(set, data, out.Prepare, seed, u)
	out.Classifier = b.stage(KindClassifier, classifierStage(seed, s.Classifier), inputs{"prepare": out.Prepare, "vocab": out.Vocab}, u)
	if slices.Contains(s.Classifier.Models, "fasttext") {
		out.FastText = b.stage(KindFastText, FastTextStage{seed, s.FastText}, inputs{"prepare": out.Prepare, "vocab": out.Vocab}, u)
	}
	for _, method := range s.Masking.Methods {
		out.Masks = append(out.Masks, b.mask(&out, method, use{point: &p, method: method}))
	}
	for _, m := range out.Masks {
		if !slices.Contains(s.Masking.TrainOn, m.Method) {
			continue
		}
		mu := use{point: &p}
		if len(s.Masking.TrainOn) > 1 {
			mu.method = m.Method
		}
		for _, model := range s.SMLM.Models {
			train := b.train(&out, model, m, mu)
			for _, unmasked := range s.outputs(model) {
				out.Models = append(out.Models, b.model(&out, model, train, m, unmasked, mu))
			}
		}
	}
	return out
}

type inputs = map[string]*Stage

func (b *builder) naturalness(set *Dataset, data *Data, prepare *Stage, seed uint64, u use) *Stage {
	if set.Naturalness == "" {
		return b.stage(KindNaturalness, NaturalnessStage{Seed: seed}, inputs{"prepare": prepare}, u)
	}
	n := b.stage(KindNaturalness, NaturalnessStage{File: filepath.Base(set.Naturalness), Hash: data.Weights}, nil, u)
	n.Sources = map[string]string{"file": set.Naturalness}
	return n
}

func classifierStage(seed uint64, s ClassifierSettings) ClassifierStage {
	s.Models = nil // what stands beside it in a table does not matter to it
	return ClassifierStage{seed, s}
}

// published adds a row for each published system of the data set and one for its human references.
func (b *builder) published(dataset string) {
	data := b.plan.Data[dataset]
	seen := map[*Stage]bool{}
	add := func(ps *PointStages, system string, settings PublishedStage) *Stage {
		s := b.stage(KindPublished, settings, inputs{
			"prepare": ps.Prepare, "vocab": ps.Vocab, "classifier": ps.Classifier, "naturalness": ps.Naturalness,
		}, use{point: &ps.Point, system: system})
		if !seen[s] {
			seen[s] = true
			b.plan.Published = append(b.plan.Published, PublishedRow{dataset, system, s})
		}
		return s
	}
	for i := range b.plan.Points {
		ps := &b.plan.Points[i]
		if ps.Point.Dataset != dataset {
			continue
		}
		for _, sys := range data.Systems {
			s := add(ps, sys.Name, PublishedStage{System: sys.Name, Hashes: map[string]string{"0": sys.Hashes[0], "1": sys.Hashes[1]}})
			s.Sources = map[string]string{"0": sys.Files[0], "1": sys.Files[1]}
		}
		if data.HasRefs {
			add(ps, HumanReferences, PublishedStage{System: HumanReferences, References: true})
		}
	}
}
