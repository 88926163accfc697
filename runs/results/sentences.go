package results

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
)

// maxSentences is the largest number of sentences that Sentences returns.
const maxSentences = 2

// Sentences returns examples of one trained system, one for each of its first directions. If there
// are several systems, the result "why" explains the choice of this system. Neither the sentences
// nor the system are chosen by the test outputs.
func (r *Results) Sentences() (system, why string, found []report.Example) {
	best, why := r.shownSystem()
	if best == nil {
		return "", "", nil
	}
	direction := -1
	for _, s := range r.shown {
		if s.transfer == best.score.Inputs["transfer"] && s.direction != direction && len(found) < maxSentences {
			direction, found = s.direction, append(found, r.Examples[s.row])
		}
	}
	return r.title([]*System{best}), why, found
}

// shownSystem returns the system whose sentences are shown, or nil. It is the system with the
// highest Mean on the dev set. If dev outputs chose no system, it is the first system in the file.
// The result "why" says why it is this system. If there was only one system to choose from, "why"
// is "".
func (r *Results) shownSystem() (shown *System, why string) {
	of := lists.Filter(r.Systems, func(s *System) bool {
		return s.score.Inputs["transfer"] != nil && r.chosen.Shows(s.score)
	})
	if len(of) == 0 {
		return nil, ""
	}
	of = lists.Filter(of, func(s *System) bool { return s.Dataset() == of[0].Dataset() })
	best := slices.IndexFunc(of, func(s *System) bool { return r.chosen.Best(s.score) })
	switch {
	case len(of) == 1:
		return of[0], ""
	case best < 0:
		return of[0], "This system is the first in the file, because dev outputs have not chosen a finished one."
	}
	return of[best], "This system has the highest Mean on the dev set."
}
