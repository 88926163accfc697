package rewrite

import (
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Decide applies the policies to the scores of a sentence's words. labels are the styles.
func (x *Explaining) Decide(words []string, labels [2]string, found *stages.Explained) *report.Heatmap {
	s := &report.Heatmap{Words: words, Style: labels[found.Style], Probability: found.Probability}
	for k, p := range x.Policies {
		m := report.HeatmapMethod{Name: string(x.Request.Methods[k].Attribution.Method), Masked: p.Mask(found.Scores[k])}
		if p.Name == policy.Surplus {
			m.Threshold = p.Threshold(len(words))
		}
		for _, a := range found.Scores[k] {
			m.Scores = append(m.Scores, float64(a))
		}
		s.Methods = append(s.Methods, m)
	}
	return s
}
