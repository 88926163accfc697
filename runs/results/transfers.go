package results

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// systemName names a model of a point: with its masks and its way with unmasked words where the
// point has others.
func systemName(p *plan.PointStages, m *plan.ModelStages) string {
	name := plan.SystemNames[m.Model]
	var more []string
	if len(p.Point.Settings.Masking.TrainOn) > 1 {
		more = append(more, string(m.Method))
	}
	if len(p.Point.Settings.Outputs(m.Model)) > 1 {
		more = append(more, string(m.Decoding))
	}
	if len(more) > 0 {
		name += " (" + strings.Join(more, ", ") + ")"
	}
	return name
}

// models adds a row for each score of ours, and counts the point where one of its scores, or the
// accuracy of one of its classifiers on test sentences, is missing. Points that share a score share
// its row, which then shows only the axes that matter to it: those on which its points agree.
func (c *collector) models(p *plan.PointStages) {
	if p.Point.DevOnly {
		if slices.ContainsFunc(p.Models, func(m *plan.ModelStages) bool { return !c.done(m.Dev) }) {
			c.out.Missing++
		}
	} else if slices.ContainsFunc(p.Models, func(m *plan.ModelStages) bool { return !c.done(m.Score) }) ||
		slices.ContainsFunc(p.Masks, func(m *plan.MaskStages) bool { return !c.done(m.Score) }) ||
		slices.ContainsFunc(p.Accuracies(), func(s *plan.Stage) bool { return !c.done(s) }) {
		c.out.Missing++
	}
	for _, m := range p.Models {
		if c.once(m.Score) {
			c.system(m.Score, c.modelRow(p, m, m.Score))
		}
		if c.once(m.Dev) {
			row := c.modelRow(p, m, m.Dev)
			row.Metrics = c.metrics(m.Dev)
			c.out.Selection = append(c.out.Selection, row)
		}
	}
}

// modelRow is the row of a score of ours, without its metrics.
func (c *collector) modelRow(p *plan.PointStages, m *plan.ModelStages, score *plan.Stage) report.ResultRow {
	axes := c.axes(score)
	if len(p.Point.Settings.Masking.TrainOn) > 1 {
		axes = append(axes, report.Axis{Key: "masking", Value: string(m.Method)})
	}
	if len(p.Point.Settings.SMLM.Decoding) > 1 {
		axes = append(axes, report.Axis{Key: "decoding", Value: string(m.Decoding)})
	}
	return report.ResultRow{
		Dataset: p.Point.Dataset, System: plan.SystemNames[m.Model], Axes: axes, Seed: p.Point.Seed,
	}
}

// system adds a row with its scores, and remembers which stage it is of.
func (c *collector) system(s *plan.Stage, row report.ResultRow) {
	var more []*plan.Stage
	row.Metrics, more = c.joined(s)
	c.out.Results = append(c.out.Results, row)
	c.out.scores, c.out.beside = append(c.out.scores, s), append(c.out.beside, more)
}

// published adds the rows of published systems and of the human references.
func (c *collector) published() {
	for _, p := range c.plan.Published {
		if !c.done(p.Score) {
			c.out.Unscored++
		}
		if !c.once(p.Score) {
			continue
		}
		c.system(p.Score, report.ResultRow{
			Dataset: p.Dataset, System: p.System, Published: true, Unranked: p.System == stages.HumanReferences,
			Axes: c.publishedAxes(p),
		})
	}
}

// publishedAxes are the swept settings that tell the rows of one published system apart: those of
// the instruments.
func (c *collector) publishedAxes(p plan.PublishedRow) []report.Axis {
	return slices.DeleteFunc(c.axes(p.Score), func(a report.Axis) bool {
		return c.plan.Experiment.Search != nil || !c.plan.Experiment.Varies(p.Dataset, a.Key)
	})
}

// metrics returns a score, which several tables may show.
func (c *collector) metrics(s *plan.Stage) *metrics.Scores {
	if c.reports[s] == nil {
		c.reports[s] = readResult[metrics.Scores](c, s, "metrics.json")
	}
	return c.reports[s]
}
