package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// switches adds, for every variant, a row for each masking method that differs from the first
// variant's: what a change of settings does to masks and, where models are trained on them, to
// outputs. What is not finished is missing.
func (c *collector) switches() {
	if !c.out.wants("switches") {
		return
	}
	first := map[string]*plan.PointStages{} // by data set and seed
	for _, p := range c.plan.Points {
		if p.Point.Variant == "" {
			continue
		}
		key := fmt.Sprint(p.Point.Dataset, " ", p.Point.Seed)
		base := first[key]
		if base == nil {
			first[key], base = p, p
		}
		for _, m := range p.Masks {
			if p != base && same(base, p, m.Method) || !c.done(m.Score) {
				continue
			}
			c.switchRow(p, base, m)
		}
	}
}

// same says whether two points share a method's masks and all outputs of the models trained on
// them.
func same(a, b *plan.PointStages, method policy.Method) bool {
	scores := func(p *plan.PointStages) (out []*plan.Stage) {
		for _, m := range p.Masks {
			if m.Method == method {
				out = append(out, m.Score)
			}
		}
		for _, m := range p.Models {
			if m.Method == method {
				out = append(out, m.Score)
			}
		}
		return out
	}
	return slices.Equal(scores(a), scores(b))
}

// sameMasks and sharesModel say whether a variant shares a method's masks, or a model's score, with
// the first.
func sameMasks(base *plan.PointStages, m *plan.MaskStages) bool {
	return slices.ContainsFunc(base.Masks, func(b *plan.MaskStages) bool {
		return b.Method == m.Method && b.Mask == m.Mask
	})
}

func sharesModel(base *plan.PointStages, m *plan.ModelStages) bool {
	return slices.ContainsFunc(base.Models, func(b *plan.ModelStages) bool {
		return b.Method == m.Method && b.Score == m.Score
	})
}

// switchRow adds what of a variant is its own, compared with the first.
func (c *collector) switchRow(p, base *plan.PointStages, m *plan.MaskStages) {
	div := readResult[stages.TrainResult](c, m.DivLSTM, "result.json")
	masked := readResult[stages.MaskScores](c, m.Score, "result.json")
	row := report.SwitchRow{
		Dataset: p.Point.Dataset, Variant: variantName(&p.Point), Changes: strings.Join(p.Point.Changes,
			"; "), Method: m.Method, Seed: p.Point.Seed, SameMasks: p != base && sameMasks(base, m),
		DevAccuracy: div.DevAccuracy, Conicity: div.Conicity,
		MaskedShare: masked.Test.MaskedShare, Accuracy: masked.Test.Accuracy, SBLEU: masked.Test.SBLEU,
	}
	for _, model := range p.Models {
		if model.Method != m.Method || !c.done(model.Score) || p != base && sharesModel(base, model) {
			continue
		}
		row.Models = append(row.Models, report.SwitchModel{
			System:  plan.SystemOf(model.Model, model.Decoding),
			Metrics: c.metrics(model.Score),
		})
	}
	c.out.Switches = append(c.out.Switches, row)
}

// variantName is the variant with the values it sweeps over.
func variantName(p *experiment.Point) string {
	name := p.Variant
	for _, a := range p.Axes {
		if a.Key != experiment.VariantKey {
			name += ", " + a.Key + " " + a.Value
		}
	}
	return name
}
