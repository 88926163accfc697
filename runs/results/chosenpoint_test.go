package results

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// swept is a plan of one system at three values of lambda_eps with two seeds each.
func swept() *plan.Plan {
	p := &plan.Plan{}
	for _, eps := range []string{"0.15", "0.5", "1"} {
		for seed := range uint64(2) {
			p.Points = append(p.Points, &plan.PointStages{
				Point: experiment.Point{
					Dataset: "market", Seed: seed + 1, Axes: []experiment.Axis{{Key: "lambda_eps", Value: eps}},
				},
				Models: []*plan.ModelStages{
					{Model: "smlm", Dev: &plan.Stage{}, Score: &plan.Stage{}, Transfer: &plan.Stage{}},
				},
			})
		}
	}
	return p
}

// The Means of dev outputs by hand, of two seeds each: 60, 65 and 90. The last has a seed that has
// collapsed, so the second is chosen, though its first seed is the worst of all.
func TestChosenByDevOutputs(t *testing.T) {
	p := swept()
	scores := map[*plan.Stage]*metrics.Scores{}
	for i, mean := range []float64{60, 60, 50, 80, 90, 90} {
		s := &metrics.Scores{Metrics: metrics.Values{"mean": mean}, Directions: make([]metrics.Direction, 2)}
		if i == 5 {
			d := &s.Directions[0]
			d.N, d.NewWords, d.DistinctNewWords, d.MostFrequentNewWordShare = 100, 200, 3, .9
		}
		scores[p.Points[i].Models[0].Dev] = s
	}
	c := choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) { return scores[s], scores[s] != nil })
	for i := range p.Points {
		if got, want := c.Shows(p.Points[i].Models[0].Score), i == 2 || i == 3; got != want {
			t.Errorf("point %d: shown %v, want %v", i, got, want)
		}
	}
	shown, which := c.Example("market", func(*plan.PointStages) bool { return true })
	if shown != p.Points[2] || which != "the sweep point with the highest dev Mean (lambda_eps 0.5, seed 1)" {
		t.Errorf("example %q", which)
	}
	shown, _ = c.Example("market", func(s *plan.PointStages) bool { return s.Point.Seed == 2 })
	if shown != p.Points[3] {
		t.Error("the first seed that has outputs is not shown")
	}
	// One that is not finished leaves all open.
	delete(scores, p.Points[0].Models[0].Dev)
	c = choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) { return scores[s], scores[s] != nil })
	if _, which = c.Example("market", func(*plan.PointStages) bool { return true }); !strings.HasPrefix(which, "the first point") {
		t.Errorf("with a dev output missing: %q", which)
	}
}

// Without dev outputs nothing is chosen: every point is shown, examples are of the first, and it is
// said so.
func TestNothingToChooseBy(t *testing.T) {
	p := swept()
	c := choosePoints(p, func(*plan.Stage) (*metrics.Scores, bool) { return nil, false })
	for i := range p.Points {
		if !c.Shows(p.Points[i].Models[0].Score) {
			t.Errorf("point %d is not shown", i)
		}
	}
	shown, which := c.Example("market", func(*plan.PointStages) bool { return true })
	if shown != p.Points[0] || !strings.Contains(which, "to choose by dev outputs, add") {
		t.Errorf("%q", which)
	}
	if shown, _ = c.Example("yelp", func(*plan.PointStages) bool { return true }); shown != nil {
		t.Error("a point of another data set")
	}
	p.Points = p.Points[:2]
	c = choosePoints(p, func(*plan.Stage) (*metrics.Scores, bool) { return nil, false })
	if _, which = c.Example("market", func(*plan.PointStages) bool { return true }); which != "the only point (lambda_eps 0.15, seed 1)" {
		t.Errorf("of one point: %q", which)
	}
}
