package rewriting

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// String names a point and one of its models: "smlm-ft on demo, lambda_con 10, lambda_eps 0.15,
// seed 1".
func (c *Chosen) String() string { return describePoint(c.Point.Point, c.Model) }

func describePoint(p experiment.Point, m *plan.ModelStages) string {
	words := fmt.Sprintf("%s on %s", m.Model, p.Dataset)
	for _, a := range p.Axes {
		words += fmt.Sprintf(", %s %s", a.Key, a.Value)
	}
	return words + fmt.Sprintf(", masks by %s, unmasked words %s, seed %d", m.Method, m.Unmasked, p.Seed)
}
