package results

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report"
)

// human adds the human evaluation of every data set that has votes.
func (c *collector) human() {
	if !c.out.wants("human") {
		return
	}
	for _, set := range c.plan.Experiment.Datasets {
		if votes := c.plan.Data[set.Name].Votes; votes != nil {
			c.out.Human = append(c.out.Human, HumanRows(set.Name, set.VotedOn[0], set.VotedOn[1], votes)...)
		}
	}
}

// HumanRows returns what annotators say of systems a and b, a row a direction.
func HumanRows(dataset, a, b string, votes *human.Votes) (rows []report.HumanRow) {
	all := votes.Agree()
	for _, d := range all.Directions {
		from, to, _ := strings.Cut(d.Direction, " to ")
		rows = append(rows, report.HumanRow{
			Dataset: dataset, From: from, To: to, A: a, B: b,
			ABetter: d.A, BBetter: d.B, BothGood: d.Both, BothBad: d.Neither, NoAgreement: d.NoAgreement,
			Kappa: all.FleissKappa, Annotators: all.Annotators,
		})
	}
	return rows
}
