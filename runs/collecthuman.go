package runs

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// human adds the human evaluation of every data set that has votes.
func (c *collector) human() error {
	if !slices.Contains(c.out.wanted, "human") {
		return nil
	}
	for i := range c.plan.Experiment.Datasets {
		set := &c.plan.Experiment.Datasets[i]
		if set.Votes == "" {
			continue
		}
		votes, err := metrics.ReadVotes(set.Votes)
		if err != nil {
			return err
		}
		labels, all := c.plan.Data[set.Name].Labels, votes.Agree()
		for _, d := range all.Directions {
			from, to, ok := strings.Cut(d.Direction, " to ")
			if !ok || from != labels[0] && from != labels[1] || to != labels[0] && to != labels[1] || from == to {
				return userr.New(userr.BadInput, "datasets.%s.votes: %q has votes on the direction %q: it must be %q or %q",
					set.Name, set.Votes, d.Direction, labels[0]+" to "+labels[1], labels[1]+" to "+labels[0])
			}
			c.out.Human = append(c.out.Human, report.HumanRow{
				Dataset: set.Name, From: from, To: to, A: set.VotedOn[0], B: set.VotedOn[1],
				ABetter: d.A, BBetter: d.B, BothGood: d.Both, BothBad: d.Neither, NoAgreement: d.NoAgreement,
				Kappa: all.FleissKappa, Annotators: all.Annotators,
			})
		}
	}
	return nil
}
