package results

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// masks adds a row for every masking of a test set.
func (c *collector) masks(p *plan.PointStages) {
	for _, m := range p.Masks {
		if !c.once(m.Score) {
			continue
		}
		r := readResult[stages.MaskScores](c, m.Score, "result.json")
		s := m.Mask.Settings.(stages.MaskSettings)
		row := report.AttributionRow{
			Dataset: p.Point.Dataset, Method: m.Method, LambdaCon: m.LambdaCon, Policy: s.Name, Seed: p.Point.Seed,
			Axes: c.axes(m.Score, "lambda_con", "lambda_eps", "lambda_eps_gradients", "masking.policy",
				"policy"),
			Sentences:   c.testSentences(p.Point.Dataset),
			MaskedShare: r.Test.MaskedShare, NoneMasked: r.Test.NoneMasked, AllMasked: r.Test.AllMasked,
			Accuracy: r.Test.Accuracy, SBLEU: r.Test.SBLEU, CharBLEU: r.Test.CharBLEU,
		}
		if s.Name == policy.Surplus {
			row.LambdaEps = &s.LambdaEps
		}
		if m.Method == policy.IntegratedGradients && c.done(m.TestAttribution) { // how complete the attributions are
			r := readResult[stages.AttributionResult](c, m.TestAttribution, "result.json")
			if v, ok := r.Completeness[corpus.Test.String()]; ok {
				row.Gap, row.Change = &v.Gap, &v.Change
			}
		}
		c.out.Masking = append(c.out.Masking, row)
	}
}

// testSentences counts those of both styles.
func (c *collector) testSentences(dataset string) int {
	sizes := c.plan.Data[dataset].Sizes[corpus.Test]
	return sizes[0] + sizes[1]
}
