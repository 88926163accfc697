package runs

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// gradientMethods are those whose threshold is lambda_eps_gradients.
var gradientMethods = []string{"gradients", "gradients_x_input", "integrated_gradients"}

// mask adds what one masking method needs. Vanilla attention is that of a Diversity-LSTM without its diversity term; random
// masking takes the counts of explainable attention at the same point, and "none" its sentences.
func (b *builder) mask(ps *PointStages, method string, u use) MaskStages {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	div := s.DivLSTM
	if method == "vanilla_attention" {
		div.LambdaCon = 0
	}
	shared := use{point: u.point} // by several methods: not labelled with one
	out := MaskStages{Method: method, LambdaCon: div.LambdaCon}
	out.DivLSTM = b.stage(KindDivLSTM, DivLSTMStage{seed, div}, inputs{"prepare": ps.Prepare, "vocab": ps.Vocab}, use{point: u.point, lambdaCon: &div.LambdaCon})
	attribution := s.Masking.attribution(method, seed)
	shared.method = attribution.Method
	out.Attribution = b.stage(KindAttribution, attribution, inputs{"prepare": ps.Prepare, "vocab": ps.Vocab, "divlstm": out.DivLSTM}, shared)
	out.Mask = b.stage(KindMask, s.mask(method, seed), inputs{"attribution": out.Attribution}, u)
	out.Score = b.stage(KindMaskScore, MaskScoreStage{}, inputs{
		"prepare": ps.Prepare, "vocab": ps.Vocab, "classifier": ps.Classifier, "mask": out.Mask,
	}, u)
	return out
}

// attribution returns how the words are scored for a method: what does not matter to it is left out.
func (m *MaskingSettings) attribution(method string, seed uint64) AttributionStage {
	if method == "random" || method == "none" {
		method = "explainable_attention"
	}
	a := AttributionStage{Method: method, Splits: m.splits(method)}
	if m.Sampling {
		a.Sampling, a.Seed = true, seed
	}
	if !slices.Contains(gradientMethods, method) {
		return a
	}
	a.Target, a.Reduce, a.Scale = m.AttrTarget, m.AttrReduce, m.AttrScale
	if method == "integrated_gradients" {
		a.Baseline, a.Rule, a.Steps, a.NotTimesX = m.IGBaseline, m.IGRule, m.IGSteps, !m.IGTimesInput
	}
	return a
}

// splits lists what a method scores: everything where a model is trained on masks that come from it.
func (m *MaskingSettings) splits(method string) []string {
	for _, on := range m.TrainOn {
		if on == method || method == "explainable_attention" && (on == "random" || on == "none") {
			return []string{corpus.Train.String(), corpus.Dev.String(), corpus.Test.String()}
		}
	}
	return []string{corpus.Dev.String(), corpus.Test.String()}
}

// mask returns the policy a method's scores are cut by.
func (s *Settings) mask(method string, seed uint64) MaskStage {
	if method == "none" {
		return MaskStage{Policy: "none"}
	}
	m := MaskStage{Policy: s.Masking.Policy}
	switch m.Policy {
	case "surplus":
		m.LambdaEps, m.Strict = s.Masking.LambdaEps, s.Masking.Comparator == ">"
		if slices.Contains(gradientMethods, method) {
			m.LambdaEps = s.Masking.LambdaEpsGradients
		}
		if s.DivLSTM.StartToken {
			m.Extra = 1
		}
	case "top_k":
		m.K = s.Masking.TopK
	case "top_share":
		m.Share = s.Masking.TopShare
	}
	if method == "random" {
		m.Random, m.Seed = true, seed
	}
	return m
}
