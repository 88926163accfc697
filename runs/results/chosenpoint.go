package results

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// pointChoice has the sweep points that were chosen by the scores of dev outputs, for each system
// and for each data set of a plan.
type pointChoice struct {
	plan   *plan.Plan
	means  map[candidate]float64 // Mean of the ranked candidates, on data sets whose dev outputs are all finished
	system map[string]candidate  // chosen setting of each system, by data set, model, masks and decoding
	set    map[string]candidate  // chosen system of each data set, at its chosen setting
	shown  map[*plan.Stage]bool  // see Shows
	best   map[*plan.Stage]bool  // see Best
}

// candidate is a system at one setting, with all seeds.
type candidate struct{ dataset, system, axes string }

// candidateOf returns the candidate to which a point of a model belongs.
func candidateOf(m stage.Point) candidate { return candidate{m.Dataset, systemOf(m), settingOf(m)} }

// choosePoints chooses a setting for each system and a system for each data set, by the highest
// Mean of dev outputs. The function dev returns the scores of a stage, or false if the stage is not
// finished. For a data set whose dev outputs are not all planned and finished, nothing is chosen.
func choosePoints(p *plan.Plan, dev func(*plan.Stage) (*metrics.Scores, bool)) *pointChoice {
	c := &pointChoice{
		plan: p, means: map[candidate]float64{}, system: map[string]candidate{}, set: map[string]candidate{},
		shown: map[*plan.Stage]bool{}, best: map[*plan.Stage]bool{},
	}
	scores, order, waits := map[candidate][]*metrics.Scores{}, []candidate(nil), map[string]bool{}
	for _, m := range models(c.plan) {
		k := candidateOf(m)
		s, done := dev(p.Get(stages.Score, m.With(corpus.Dev.String())))
		if !done {
			waits[k.dataset] = true
			continue
		}
		order = lists.AddOnce(order, k)
		scores[k] = append(scores[k], s)
	}
	for _, k := range order {
		mean, ranked := meanOf(scores[k])
		if !ranked || waits[k.dataset] {
			continue
		}
		c.means[k] = mean
		keep := func(chosen map[string]candidate, key string) {
			if before, has := chosen[key]; !has || mean > c.means[before] {
				chosen[key] = k
			}
		}
		keep(c.system, k.system)
		keep(c.set, k.dataset)
	}
	c.findStages()
	return c
}

// ChosenModel returns the model with the best dev outputs among those for which the condition "of"
// holds. With AnyModel, this is the model that tables call chosen. Of several seeds, the first
// counts; of several data sets, the first with a choice. The result ok is false if dev outputs
// choose no model.
func ChosenModel(
	p *plan.Plan, ws *workspace.Workspace, of func(stage.Point) bool,
) (model stage.Point, ok bool, err error) {
	c, err := readChoice(p, ws)
	if err != nil {
		return model, false, err
	}
	model, ok = c.model(of)
	return model, ok, nil
}

// readChoice chooses points by the dev scores in a workspace.
func readChoice(p *plan.Plan, ws *workspace.Workspace) (c *pointChoice, err error) {
	c = choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) {
		if s == nil || err != nil || !ws.Done(s) {
			return nil, false
		}
		scores := new(metrics.Scores)
		err = ws.ReadJSON(s, "metrics.json", scores)
		return scores, err == nil
	})
	return c, err
}

// The method model does the same as ChosenModel.
func (c *pointChoice) model(of func(stage.Point) bool) (model stage.Point, ok bool) {
	most := 0.0
	for _, m := range lists.Filter(models(c.plan), of) {
		mean, ranked := c.means[candidateOf(m)]
		if ranked && (!ok || m.Dataset == model.Dataset && mean > most) {
			model, most, ok = m, mean, true
		}
	}
	return model, ok
}

// AnyModel is a condition for ChosenModel that holds for every model.
func AnyModel(stage.Point) bool { return true }

// findStages sets shown and best.
func (c *pointChoice) findStages() {
	for _, m := range models(c.plan) {
		score, k := c.plan.Get(stages.Score, m), candidateOf(m)
		chosen, has := c.system[k.system]
		c.shown[score] = c.shown[score] || !has || chosen == k
		c.best[score] = c.best[score] || c.set[k.dataset] == k
	}
}

// Shows reports whether a stage scores outputs of a system at its chosen point. If no point was
// chosen for a system, all of its points count as chosen.
func (c *pointChoice) Shows(score *plan.Stage) bool { return c.shown[score] }

// Best reports whether a stage scores outputs of the system that was chosen for its data set, at
// the system's chosen point. If no system was chosen, Best is false for all stages.
func (c *pointChoice) Best(score *plan.Stage) bool { return c.best[score] }

// Example returns the point whose outputs are shown as examples for a data set. It is the first
// point with outputs that has the chosen setting or, if none was chosen, any setting. The result
// "which" describes the point. The result ok is false if there are no outputs yet.
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
	which = pointName(shown)
	switch {
	case len(settings) == 1:
		return shown, "the only sweep point (" + which + ")", true
	case chosen:
		return shown, "the sweep point with the highest dev Mean (" + which + ")", true
	}
	return shown, "the first point (" + which + "), because dev outputs have not chosen one", true
}

// The function models returns the models of all points.
func models(p *plan.Plan) (all []stage.Point) {
	for _, point := range p.All() {
		all = append(all, point.Models()...)
	}
	return all
}

// pointName returns the settings and the seed of a sweep point: "lambda_eps 0.5, seed 1".
func pointName(p stage.Point) string {
	return strings.TrimPrefix(fmt.Sprintf("%s, seed %d", settingOf(p), p.Seed), ", ")
}

// settingOf returns a point's swept settings as one string.
func settingOf(p stage.Point) string { return strings.Join(recipe.AxisWords(p.Axes), ", ") }

func systemOf(p stage.Point) string {
	return fmt.Sprint(p.Dataset, "|", p.Model, "|", p.Method, "|", p.Decoding)
}

// meanOf averages the metric Mean over the scores of all seeds. The result "ranked" is false if a
// seed has no Mean or a flaw (see metrics.Ranked).
func meanOf(seeds []*metrics.Scores) (mean float64, ranked bool) {
	for _, s := range seeds {
		m, known := s.Metrics["mean"]
		if !known {
			return 0, false
		}
		mean += m / float64(len(seeds))
	}
	return mean, metrics.Ranked(seeds...)
}
