package plan

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// readVotes reads the votes of a data set, whose directions must be those of its styles.
func readVotes(set *experiment.Dataset, labels [2]string) (*human.Votes, error) {
	votes, err := human.Read(set.Votes)
	if err != nil {
		return nil, err
	}
	directions := []string{labels[0] + " to " + labels[1], labels[1] + " to " + labels[0]}
	for _, d := range votes.Agree().Directions {
		if labels == [2]string{} {
			break // the corpus, and with it the names, cannot be read
		}
		if !slices.Contains(directions, d.Direction) {
			return nil, wrong(set, "votes", "%q has votes on the direction %q: it must be %q or %q", set.Votes, d.Direction,
				directions[0], directions[1])
		}
	}
	return votes, nil
}
