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

// pointChoice has the sweep points that were chosen by dev outputs, for each system and for each
// data set of a plan.
type pointChoice struct {
	plan   *plan.Plan
	system map[string]chosenSetting // by data set, model, masks and decoding
	set    map[string]chosenSetting // by data set
	shown  map[*plan.Stage]bool
}

// chosenSetting is a point without its seed, and the Mean of its dev outputs.
type chosenSetting struct {
	axes string
	mean float64
}

// choosePoints chooses by the scores of dev outputs. dev returns the scores of a stage, or false if
// it is not finished. If the dev outputs of a data set are not all planned and finished, nothing is
// chosen for it.
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

// Shows reports whether a stage scores outputs of the point chosen for their system. Without a
// choice it is true for all points.
func (c *pointChoice) Shows(score *plan.Stage) bool { return c.shown[score] }

// DevMean returns the Mean of the dev outputs of the system that a stage scores, at its chosen
// point. known is false if nothing is chosen, or the system has no rank.
func (c *pointChoice) DevMean(score *plan.Stage) (mean float64, known bool) {
	for p, m := range c.models() {
		if m.Score == score {
			best, has := c.system[systemOf(p, m)]
			return best.mean, has
		}
	}
	return 0, false
}

// Example returns the point whose outputs are shown as examples of a data set, and describes it. It
// is the first one with outputs, of the chosen setting if there is one; nil if there are no outputs
// yet.
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

// models iterates over the models of all points.
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

// settingOf returns a point's swept settings as one string.
func settingOf(p *plan.PointStages) string {
	return strings.Join(recipe.AxisWords(p.Point.Axes), ", ")
}

func systemOf(p *plan.PointStages, m *plan.ModelStages) string {
	return fmt.Sprint(p.Point.Dataset, "|", m.Model, "|", m.Method, "|", m.Decoding)
}

// meanOf returns the mean of Mean over seeds, and whether all of them have a rank.
func meanOf(seeds []*metrics.Scores) (mean float64, ranked bool) {
	ranked = !slices.ContainsFunc(seeds, func(s *metrics.Scores) bool {
		m, known := s.Metrics["mean"]
		mean += m / float64(len(seeds))
		return !known || s.Flawed()
	})
	return mean, ranked
}
