package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// pointChoice has the sweep points that were chosen by dev outputs, for each system and for each
// data set of a plan.
type pointChoice struct {
	plan   *plan.Plan
	system map[string]chosenSetting // chosen setting of each system, by data set, model, masks and decoding
	set    map[string]chosenSetting // chosen setting of each data set
	shown  map[*plan.Stage]bool
}

// chosenSetting is a point without its seed, and the Mean of its dev outputs.
type chosenSetting struct {
	axes string
	mean float64
}

// choosePoints chooses the setting with the highest Mean of dev outputs, for each system and for
// each data set. The function dev returns the scores of a stage, or false if the stage is not
// finished. If the dev outputs of a data set are not all planned and finished, nothing is chosen
// for it.
func choosePoints(p *plan.Plan, dev func(*plan.Stage) (*metrics.Scores, bool)) *pointChoice {
	type candidate struct{ system, dataset, axes string }
	c := &pointChoice{p, map[string]chosenSetting{}, map[string]chosenSetting{}, map[*plan.Stage]bool{}}
	scores, order, waits := map[candidate][]*metrics.Scores{}, []candidate(nil), map[string]bool{}
	for _, m := range c.models() {
		k := candidate{systemOf(m), m.Dataset, settingOf(m)}
		s, done := dev(p.Get(stages.Score, m.With(corpus.Dev.String())))
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
	for _, m := range c.models() {
		if best, has := c.system[systemOf(m)]; !has || best.axes == settingOf(m) {
			c.shown[p.Get(stages.Score, m)] = true
		}
	}
	return c
}

// Shows reports whether a stage scores outputs at the point that was chosen for their system. If no
// point was chosen for the system, Shows is true at all points.
func (c *pointChoice) Shows(score *plan.Stage) bool { return c.shown[score] }

// DevMean returns the Mean of a system's dev outputs, at the point that was chosen for the system.
// score is a stage that scores the system. known is false if no point was chosen for the system.
func (c *pointChoice) DevMean(score *plan.Stage) (mean float64, known bool) {
	best, known := c.system[systemOf(score.Points[0])]
	return best.mean, known
}

// Example returns the point whose outputs are shown as examples for a data set. It is the first
// point with outputs that has the chosen setting or, if none was chosen, any setting. The second
// result describes the point. The third result is false if there are no outputs yet.
func (c *pointChoice) Example(
	dataset string, has func(stage.Point) bool,
) (shown stage.Point, which string, ok bool) {
	best, chosen := c.set[dataset]
	settings := map[string]bool{}
	for _, p := range c.plan.All() {
		if p.Dataset != dataset {
			continue
		}
		settings[settingOf(p)] = true
		if !ok && (!chosen || settingOf(p) == best.axes) && has(p) {
			shown, ok = p, true
		}
	}
	if !ok {
		return shown, "", false
	}
	which = strings.TrimPrefix(fmt.Sprintf("%s, seed %d", settingOf(shown), shown.Seed), ", ")
	switch {
	case len(settings) == 1:
		return shown, "the only point (" + which + ")", true
	case chosen:
		return shown, "the sweep point with the highest dev Mean (" + which + ")", true
	}
	return shown, "the first point (" + which + "); to choose by dev outputs, add \"selection\" to report.tables", true
}

// models returns the models of all points.
func (c *pointChoice) models() (models []stage.Point) {
	for _, p := range c.plan.All() {
		models = append(models, p.Models()...)
	}
	return models
}

// settingOf returns a point's swept settings as one string.
func settingOf(p stage.Point) string { return strings.Join(recipe.AxisWords(p.Axes), ", ") }

func systemOf(p stage.Point) string {
	return fmt.Sprint(p.Dataset, "|", p.Model, "|", p.Method, "|", p.Decoding)
}

// meanOf averages the metric Mean over the scores of all seeds. ranked is false if the score of any
// seed has no Mean or has a flaw.
func meanOf(seeds []*metrics.Scores) (mean float64, ranked bool) {
	ranked = !slices.ContainsFunc(seeds, func(s *metrics.Scores) bool {
		m, known := s.Metrics["mean"]
		mean += m / float64(len(seeds))
		return !known || !metrics.Ranked(s)
	})
	return mean, ranked
}
