package results

import (
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/search"
)

// search adds a row for every point of a search in every rung that is known.
func (c *collector) search() {
	s := c.plan.Experiment.Search
	if s == nil || c.err != nil {
		return
	}
	c.out.rule = &report.SearchRule{
		Method: s.Method, Eta: s.Eta, Points: s.Points, Seed: s.Seed, Figure: search.Metric(s.Metric()),
		System: plan.SystemNames[s.Model] + " (" + s.Decoding + ")", Lowest: s.Minimise != "",
	}
	decisions, err := search.Decisions(c.plan, c.ws)
	c.err = err
	for _, d := range decisions {
		c.out.Search = append(c.out.Search, report.SearchRow{
			Dataset: d.Dataset, Number: d.Trial.Number, Rung: d.Trial.Rung, Axes: d.Axes, Figure: d.Figure,
			Collapsed: d.Collapsed, Decision: string(d.State),
		})
	}
}
