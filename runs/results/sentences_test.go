package results

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// TestShownSystem: of guided systems, the dev set chooses whose sentences run shows, not the test
// set, whose order is the other here. Without dev outputs it is the first in the file.
func TestShownSystem(t *testing.T) {
	point := &plan.PointStages{Point: experiment.Point{Dataset: "market", Seed: 1}}
	p := &plan.Plan{Points: []*plan.PointStages{point}}
	r, dev := &Results{plan: p}, map[*plan.Stage]*metrics.Scores{}
	add := func(model string, decoding recipe.Decoding, onDev, onTest float64) {
		m := &plan.ModelStages{
			Model: model, Decoding: decoding, Dev: &plan.Stage{},
			Score: &plan.Stage{Inputs: map[string]*plan.Stage{"transfer": {}}},
		}
		point.Models = append(point.Models, m)
		dev[m.Dev] = &metrics.Scores{Metrics: metrics.Values{"mean": onDev}}
		r.scores = append(r.scores, m.Score)
		r.Results = append(r.Results, report.ResultRow{
			Dataset: "market", System: model, Metrics: &metrics.Scores{Metrics: metrics.Values{"mean": onTest}},
		})
	}
	add("smlm", recipe.Copied, 90, 90)
	add("smlm", recipe.GuidedDecoding, 60, 70)
	add("smlm-g", recipe.GuidedDecoding, 50, 80)
	add("smlm-ft", recipe.GuidedDecoding, 70, 60)
	for _, c := range []struct {
		measured bool
		rows     int // so many of them have test outputs
		best     int
		why      string
	}{
		{true, 4, 3, "has the highest Mean on the dev set"},
		{true, 3, 1, "has the highest Mean on the dev set"},
		{false, 4, 1, "is the first in the file. To choose by dev outputs, add"},
		{true, 2, 1, ""},
		{false, 1, 0, ""},
		{true, 0, -1, ""},
	} {
		r.chosen = choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) { return dev[s], c.measured })
		shown := *r
		shown.Results = r.Results[:c.rows]
		best, why := shown.shownSystem()
		if best != c.best || !strings.Contains(why, c.why) || c.why == "" && why != "" {
			t.Errorf("measured %v, %d rows: row %d and %q, want row %d and %q", c.measured, c.rows, best, why, c.best, c.why)
		}
	}
}
