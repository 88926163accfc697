package results

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// masks adds a row for every masking of a test set.
func (c *collector) masks() error {
	for i := range c.plan.Points {
		p := &c.plan.Points[i]
		for _, m := range p.Masks {
			if !c.once(m.Score) {
				continue
			}
			r, err := readResult[plan.MaskScores](c, m.Score, "result.json")
			if err != nil {
				return err
			}
			s := m.Mask.Settings.(plan.MaskStage)
			row := report.AttributionRow{
				Dataset: p.Point.Dataset, Method: m.Method, LambdaCon: m.LambdaCon, Policy: s.Name,
				Axes: c.axes(m.Score, "lambda_con", "lambda_eps", "lambda_eps_gradients", "masking.policy", "policy"), Seed: p.Point.Seed,
				MaskedShare: r.Test.MaskedShare, NoneMasked: r.Test.NoneMasked, AllMasked: r.Test.AllMasked,
				Accuracy: r.Test.Accuracy, SBLEU: r.Test.SBLEU, CharBLEU: r.Test.CharBLEU,
			}
			if s.Name == policy.Surplus {
				row.LambdaEps = &s.LambdaEps
			}
			if err := c.completeness(m.Attribution, &row); err != nil {
				return err
			}
			c.out.Masking = append(c.out.Masking, row)
		}
	}
	return nil
}

// completeness adds how complete the attributions of the test set are, where the method is integrated gradients.
func (c *collector) completeness(s *plan.Stage, row *report.AttributionRow) error {
	if row.Method != policy.IntegratedGradients || !c.ws.Done(s) {
		return nil
	}
	r, err := readResult[plan.AttributionResult](c, s, "result.json")
	if err != nil {
		return err
	}
	if v, ok := r.Completeness[corpus.Test.String()]; ok {
		row.Gap, row.Change = &v.Gap, &v.Change
	}
	return nil
}
