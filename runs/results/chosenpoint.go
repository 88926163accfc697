package results

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Choice is that of a plan.
type pointChoice struct {
	plan   *plan.Plan
	system map[string]chosenSetting // by data set, model, masks and decoding
	set    map[string]chosenSetting // by data set
	shown  map[*plan.Stage]bool
}

// setting is a point without its seed, and the Mean of its dev outputs.
type chosenSetting struct {
	axes string
	mean float64
}

// Of chooses. dev returns the scores of dev outputs, false where they are not finished; as long as
// any of a data set is not, or none was planned, nothing of it is chosen.
func choosePoints(p *plan.Plan, dev func(*plan.Stage) (*metrics.Scores, bool)) *pointChoice {
	type candidate struct{ system, dataset, axes string }
	c := &pointChoice{p, map[string]chosenSetting{}, map[string]chosenSetting{}, map[*plan.Stage]bool{}}
	scores, order, waits := map[candidate][]*metrics.Scores{}, []candidate(nil), map[string]bool{}
	for p, m := range c.models() {
		k := candidate{systemOf(p, m), p.Point.Dataset, settingOf(p)}
		s, done := dev(m.Dev)
		if !done {
			waits[k.dataset] = true
			continue
		}
		if scores[k] == nil {
			order = append(order, k)
		}
		scores[k] = append(scores[k], s)
	}
	for _, k := range order {
		mean, ranked := meanOf(scores[k])
		if !ranked || waits[k.dataset] {
			continue
		}
		keep := func(best map[string]chosenSetting, key string) {
			if before, has := best[key]; !has || mean > before.mean {
				best[key] = chosenSetting{k.axes, mean}
			}
		}
		keep(c.system, k.system)
		keep(c.set, k.dataset)
	}
	for p, m := range c.models() {
		if best, has := c.system[systemOf(p, m)]; !has || best.axes == settingOf(p) {
			c.shown[m.Score] = true
		}
	}
	return c
}

// Shows says whether the outputs that a stage scores are those of a point that stands for their
// system; where nothing is chosen each does.
func (c *pointChoice) Shows(score *plan.Stage) bool { return c.shown[score] }

// DevMean is the Mean of the dev outputs of the system that a stage scores, at the point that
// stands for it; false where nothing is chosen, or its outputs are not ranked.
func (c *pointChoice) DevMean(score *plan.Stage) (mean float64, known bool) {
	for p, m := range c.models() {
		if m.Score == score {
			best, has := c.system[systemOf(p, m)]
			return best.mean, has
		}
	}
	return 0, false
}

// Example is the point of a data set whose outputs are shown, of the first seed that has any, and
// in words which point that is; nil where there is none yet.
func (c *pointChoice) Example(
	dataset string, has func(*plan.PointStages) bool,
) (shown *plan.PointStages, which string) {
	best, chosen := c.set[dataset]
	settings := map[string]bool{}
	for _, p := range c.plan.Points {
		if p.Point.Dataset != dataset {
			continue
		}
		settings[settingOf(p)] = true
		if shown == nil && (!chosen || settingOf(p) == best.axes) && has(p) {
			shown = p
		}
	}
	if shown == nil {
		return nil, ""
	}
	which = strings.TrimPrefix(fmt.Sprintf("%s, seed %d", settingOf(shown), shown.Point.Seed), ", ")
	switch {
	case len(settings) == 1:
		return shown, "the only point (" + which + ")"
	case chosen:
		return shown, "the sweep point with the highest dev Mean (" + which + ")"
	}
	return shown, "the first point (" + which + "); to choose by dev outputs, add \"selection\" to report.tables"
}

// models goes over the models of all points.
func (c *pointChoice) models() iter.Seq2[*plan.PointStages, *plan.ModelStages] {
	return func(yield func(*plan.PointStages, *plan.ModelStages) bool) {
		for _, p := range c.plan.Points {
			for _, m := range p.Models {
				if !yield(p, m) {
					return
				}
			}
		}
	}
}

// settingOf is a point's swept settings, as one string.
func settingOf(p *plan.PointStages) string {
	return strings.Join(recipe.AxisWords(p.Point.Axes), ", ")
}

func systemOf(p *plan.PointStages, m *plan.ModelStages) string {
	return fmt.Sprint(p.Point.Dataset, "|", m.Model, "|", m.Method, "|", m.Decoding)
}

// meanOf is the mean of Mean over seeds, and whether all of them can be ranked.
func meanOf(seeds []*metrics.Scores) (mean float64, ranked bool) {
	ranked = !slices.ContainsFunc(seeds, func(s *metrics.Scores) bool {
		m, known := s.Metrics["mean"]
		mean += m / float64(len(seeds))
		return !known || s.Flawed()
	})
	return mean, ranked
}
