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
	out.Classifier = b.stage(KindClassifier, ClassifierStage{seed, s.Classifier}, inputs{"prepare": out.Prepare, "vocab": out.Vocab}, u)
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
			out.Models = append(out.Models, b.model(&out, model, m, mu))
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

// mask adds what one masking method needs. Vanilla attention is that of a Diversity-LSTM without its diversity term; random
// masking takes the counts of explainable attention at the same point.
func (b *builder) mask(ps *PointStages, method string, u use) MaskStages {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	div := s.DivLSTM
	attribution, policy := method, MaskStage{Policy: "surplus", LambdaEps: s.Masking.LambdaEps}
	switch method {
	case "vanilla_attention":
		div.LambdaCon = 0
	case "random":
		attribution = "explainable_attention"
		policy.Policy, policy.Seed = "random", seed
	}
	shared := use{point: u.point} // by several methods: not labelled with one
	out := MaskStages{Method: method, LambdaCon: div.LambdaCon}
	out.DivLSTM = b.stage(KindDivLSTM, DivLSTMStage{seed, div}, inputs{"prepare": ps.Prepare, "vocab": ps.Vocab}, use{point: u.point, lambdaCon: &div.LambdaCon})
	scores := b.stage(KindAttribution, AttributionStage{attribution}, inputs{"prepare": ps.Prepare, "vocab": ps.Vocab, "divlstm": out.DivLSTM},
		use{point: shared.point, method: attribution})
	out.Mask = b.stage(KindMask, policy, inputs{"prepare": ps.Prepare, "attribution": scores}, u)
	out.Score = b.stage(KindMaskScore, MaskScoreStage{}, inputs{
		"prepare": ps.Prepare, "vocab": ps.Vocab, "classifier": ps.Classifier, "mask": out.Mask,
	}, u)
	return out
}

// model adds a transfer model, its outputs and their score.
func (b *builder) model(ps *PointStages, model string, m MaskStages, u use) ModelStages {
	s := &ps.Point.Settings
	in := inputs{"prepare": ps.Prepare, "vocab": ps.Vocab, "mask": m.Mask}
	out := ModelStages{Model: model, Method: m.Method}
	transfer := TransferStage{CopyUnmasked: s.SMLM.CopyUnmasked}
	switch model {
	case "smlm":
		out.Train = b.smlm(ps, in, u)
	case "smlm-ft":
		in["smlm"] = b.smlm(ps, in, u)
		out.Train = b.stage(KindSMLMFT, SMLMFTStage{ps.Point.Seed, s.Finetune, s.SMLM.Loss}, in, u)
		delete(in, "smlm")
	case "smlm-g":
		out.Train = b.stage(KindSMLMG, smlmG(ps.Point.Seed, s), in, u)
		transfer = TransferStage{MaxExtra: s.Decoder.MaxExtra} // it writes whole sentences: there is no position to copy to
	}
	u.model = model
	in["model"] = out.Train
	out.Transfer = b.stage(KindTransfer, transfer, in, u)
	out.Score = b.stage(KindScore, ScoreStage{}, inputs{
		"prepare": ps.Prepare, "vocab": ps.Vocab, "classifier": ps.Classifier, "naturalness": ps.Naturalness, "transfer": out.Transfer,
	}, u)
	return out
}

func (b *builder) smlm(ps *PointStages, in inputs, u use) *Stage {
	s := ps.Point.Settings.SMLM
	s.Models, s.CopyUnmasked = nil, false
	return b.stage(KindSMLM, SMLMStage{ps.Point.Seed, s}, in, u)
}

func smlmG(seed uint64, s *Settings) SMLMGStage {
	e, d := s.SMLM, s.Decoder
	d.MaxExtra, d.Dropout = 0, 0
	return SMLMGStage{Seed: seed, Decoder: d, Encoder: SMLMSettings{
		TrainSettings: TrainSettings{Dropout: e.Dropout}, Layers: e.Layers, Heads: e.Heads, Dim: e.Dim, FF: e.FF,
	}}
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
