package results

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// sentenceParts is how many parts of a sentence the figure of masked words tells apart.
const sentenceParts = 10

// maskedShares counts where in the test sentences the masks of the first seed fall, a line a method
// and what else the sweep varies.
func (c *collector) maskedShares(p *plan.PointStages) {
	if !c.out.draws("masked_share") || p.Point.Seed != c.plan.Experiment.Seeds[0] {
		return
	}
	for _, m := range p.Masks {
		if m.Method == policy.NoMasking || !c.onceIn(c.shared, m.TestMask) {
			continue
		}
		if c.err = c.ws.Whole(m.TestMask); c.err != nil {
			return
		}
		var masks [][]bool // of both styles
		for style := range 2 {
			some, err := policy.Read(c.ws.StageDir(m.TestMask), corpus.Test, style)
			if err != nil {
				c.err = fmt.Errorf("reading the result of %s: %w", m.TestMask.Title(), err)
			}
			masks = append(masks, some...)
		}
		c.out.masks = append(c.out.masks, maskSeries{
			dataset: p.Point.Dataset, method: strings.ReplaceAll(string(m.Method), "_", " "),
			axes:  strings.Join(append([]string{""}, recipe.AxisWords(c.axes(m.TestMask))...), ", "),
			parts: figure.CountParts(masks, sentenceParts),
		})
	}
}

// maskSeries are the masks of one method at one point.
type maskSeries struct {
	dataset, method, axes string // axes: ", lambda_eps 0.5"
	parts                 []figure.Part
}

// mostMaskLines is how many lines a panel can have that a reader tells apart.
const mostMaskLines = 6

// maskedFigure has a panel a data set, and a line a masking method at every point of the sweep;
// where these are too many, at the first only, as the title then says.
func (r *Results) maskedFigure() (f figure.Figure, title string) {
	if len(r.masks) == 0 {
		return nil, ""
	}
	lines, datasets := map[string]int{}, map[string]bool{}
	first := false
	for _, m := range r.masks {
		lines[m.dataset]++
		datasets[m.dataset] = true
		first = first || lines[m.dataset] > mostMaskLines
	}
	title = "Share of words masked, by tenth of the sentence, test set."
	if first {
		title = "Share of words masked, by tenth of the sentence, test set, at the first point of the sweep" +
			strings.Replace(r.masks[0].axes, ", ", ": ", 1) + "."
	}
	var out figure.MaskedShare
	seen := map[string]bool{}
	for _, m := range r.masks {
		s := figure.ShareSeries{Name: m.method + m.axes, Parts: m.parts}
		if first {
			if seen[m.dataset+" "+m.method] {
				continue
			}
			seen[m.dataset+" "+m.method] = true
			s.Name = m.method
		}
		if len(datasets) > 1 {
			s.Panel = m.dataset
		}
		out.Series = append(out.Series, s)
	}
	return out, title
}
