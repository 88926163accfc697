package plan

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// mask adds what one masking method needs. Vanilla attention, also times the input, is that of a
// Diversity-LSTM without its diversity term; random masking takes the counts of explainable
// attention at the same point, and no masking its sentences.
func (b *builder) mask(ps *PointStages, method policy.Method, u use) *MaskStages {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	div := s.DivLSTM
	if method.Plain() {
		div.LambdaCon = 0
	}
	if div.LambdaCon == 0 { // how a term of no weight is computed changes nothing
		div.ConicityForm, div.ConicityAxis = recipe.AbsForm, recipe.TimeAxis
	}
	shared := use{point: u.point} // by several methods: not labelled with one
	out := &MaskStages{Method: method, LambdaCon: div.LambdaCon}
	in := ps.reading(nil)
	if div.Restarts > 0 {
		in["selector"] = b.fastText(ps)
	}
	divUse := use{point: u.point, lambdaCon: &div.LambdaCon}
	out.DivLSTM = b.stage(stages.DivLSTM, stages.DivLSTMSettings{Seed: seed, DivLSTMSettings: div}, in, divUse)
	if !ps.Point.DevOnly {
		b.accuracy(ps, out.DivLSTM, divUse)
	}
	attribution := stages.NewAttribution(&s.Masking, method, seed)
	shared.method = attribution.Method
	out.Attribution = b.stage(stages.Attribution, attribution, ps.reading(inputs{"divlstm": out.DivLSTM}), shared)
	out.Mask = b.stage(stages.Mask, stages.NewMask(s, method, seed), inputs{"attribution": out.Attribution}, u)
	if ps.Point.DevOnly {
		return out
	}
	shared.split = corpus.Test.String()
	out.TestAttribution = b.stage(
		stages.Attribution, attribution.OfTest(), ps.testing(inputs{"divlstm": out.DivLSTM}), shared,
	)
	testUse := u
	testUse.split = shared.split
	out.TestMask = b.stage(
		stages.Mask, stages.NewMask(s, method, seed), inputs{"attribution": out.TestAttribution}, testUse,
	)
	out.Score = b.stage(stages.MaskScore, stages.MaskScoreSettings{}, ps.reading(inputs{
		"mask": out.Mask, "test": ps.TestSet, "test-mask": out.TestMask, "classifier": ps.Classifier,
	}), u)
	return out
}
