package plan

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// mask adds what one masking method needs. Vanilla attention is that of a Diversity-LSTM without
// its diversity term; random masking takes the counts of explainable attention at the same point,
// and no masking its sentences.
func (b *builder) mask(ps *PointStages, method policy.Method, u use) MaskStages {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	div := s.DivLSTM
	if method == policy.VanillaAttention {
		div.LambdaCon = 0
	}
	shared := use{point: u.point} // by several methods: not labelled with one
	out := MaskStages{Method: method, LambdaCon: div.LambdaCon}
	out.DivLSTM = b.stage(KindDivLSTM, DivLSTMStage{seed, div}, ps.reading(nil), use{point: u.point, lambdaCon: &div.LambdaCon})
	attribution := attributionStage(&s.Masking, method, seed)
	shared.method = attribution.Method
	out.Attribution = b.stage(KindAttribution, attribution, ps.reading(inputs{"divlstm": out.DivLSTM}), shared)
	out.Mask = b.stage(KindMask, maskStage(s, method, seed), inputs{"attribution": out.Attribution}, u)
	out.Score = b.stage(KindMaskScore, MaskScoreStage{}, ps.reading(inputs{"classifier": ps.Classifier, "mask": out.Mask}), u)
	return out
}

// attributionStage returns how the words are scored for a method: what does not matter to it is
// left out.
func attributionStage(m *experiment.MaskingSettings, method policy.Method, seed uint64) AttributionStage {
	method = method.Scored()
	a := AttributionStage{Method: method, Splits: scoredSplits(m, method), Scoring: m.Scoring}
	if m.Sampling {
		a.Seed = seed
	}
	if !method.ByGradients() {
		a.Scoring = policy.Scoring{Sampling: m.Sampling}
	} else if method != policy.IntegratedGradients {
		a.IGBaseline, a.IGRule, a.IGSteps, a.IGTimesInput = "", "", 0, false
	}
	return a
}

// scoredSplits lists what a method scores: everything where a model is trained on masks that come
// from it.
func scoredSplits(m *experiment.MaskingSettings, method policy.Method) []string {
	for _, on := range m.TrainOn {
		if on.Scored() == method {
			return []string{corpus.Train.String(), corpus.Dev.String(), corpus.Test.String()}
		}
	}
	return []string{corpus.Dev.String(), corpus.Test.String()}
}

// maskStage returns the policy a method's scores are cut by.
func maskStage(s *experiment.Settings, method policy.Method, seed uint64) MaskStage {
	if method == policy.NoMasking {
		return MaskStage{Policy: policy.Policy{Name: policy.None}}
	}
	m := MaskStage{Policy: policy.Policy{Name: s.Masking.Policy}}
	switch m.Name {
	case policy.Surplus:
		m.LambdaEps, m.Comparator = s.Masking.LambdaEps, s.Masking.Comparator
		if method.ByGradients() {
			m.LambdaEps = s.Masking.LambdaEpsGradients
		}
		if s.DivLSTM.StartToken {
			m.Extra = 1
		}
	case policy.TopK:
		m.TopK = s.Masking.TopK
	case policy.TopShare:
		m.TopShare = s.Masking.TopShare
	}
	if method == policy.Random {
		m.Random, m.Seed = true, seed
	}
	return m
}
