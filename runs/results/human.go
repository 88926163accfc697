package results

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/report"
)

// human adds the human evaluation of every data set that has votes.
func (c *collector) human() {
	if !slices.Contains(c.out.wanted, "human") {
		return
	}
	for i := range c.plan.Experiment.Datasets {
		set := &c.plan.Experiment.Datasets[i]
		votes := c.plan.Data[set.Name].Votes
		if votes == nil {
			continue
		}
		all := votes.Agree()
		for _, d := range all.Directions {
			from, to, _ := strings.Cut(d.Direction, " to ")
			c.out.Human = append(c.out.Human, report.HumanRow{
				Dataset: set.Name, From: from, To: to, A: set.VotedOn[0], B: set.VotedOn[1],
				ABetter: d.A, BBetter: d.B, BothGood: d.Both, BothBad: d.Neither, NoAgreement: d.NoAgreement,
				Kappa: all.FleissKappa, Annotators: all.Annotators,
			})
		}
	}
}
