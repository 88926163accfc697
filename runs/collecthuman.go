package runs

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// human adds the human evaluation of every data set that has votes.
func (c *collector) human() error {
	if !slices.Contains(c.out.wanted, "human") {
		return nil
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
	return nil
}

// readVotes reads the votes of a data set, whose directions must be those of its styles.
func readVotes(set *experiment.Dataset, labels [2]string) (*metrics.Votes, error) {
	votes, err := metrics.ReadVotes(set.Votes)
	if err != nil {
		return nil, err
	}
	directions := []string{labels[0] + " to " + labels[1], labels[1] + " to " + labels[0]}
	for _, d := range votes.Agree().Directions {
		if !slices.Contains(directions, d.Direction) {
			return nil, userr.New(userr.BadInput, "datasets.%s.votes: %q has votes on the direction %q: it must be %q or %q",
				set.Name, set.Votes, d.Direction, directions[0], directions[1])
		}
	}
	return votes, nil
}
