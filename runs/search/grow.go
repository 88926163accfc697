package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Grow plans anew what finished dev scores have decided since a plan was made. grown is false where
// that is nothing, and the plan the same.
func Grow(p *plan.Plan, ws *workspace.Workspace) (_ *plan.Plan, grown bool, err error) {
	e := p.Experiment
	for e.Search != nil {
		decisions, err := Decisions(p, ws)
		if err != nil {
			return nil, false, err
		}
		changed := false
		for _, d := range e.Datasets {
			if now := course(d, decisions, len(e.Search.Rungs)); !now.Equal(d.Course) {
				d.Course, changed = now, true
			}
		}
		if !changed {
			break
		}
		if p, err = p.Reread(e); err != nil {
			return nil, false, err
		}
		grown = true
	}
	return p, grown, nil
}

// course is how far a data set's search has come by decisions of a plan: up to the first rung whose
// survivors the plan does not know yet.
func course(d *experiment.Dataset, decisions []Decision, rungs int) (now experiment.Course) {
	for rung := 1; rung <= rungs; rung++ {
		var kept []int
		for _, one := range decisions {
			if one.Dataset != d.Name || one.Trial.Rung != rung {
				continue
			}
			switch one.State {
			case Kept:
				kept = append(kept, one.Trial.Number)
			case Chosen:
				now.Chosen = one.Trial.Number
			}
		}
		if len(kept) == 0 {
			return now
		}
		now.Survivors = append(now.Survivors, kept)
		if rung > len(d.Course.Survivors) || !slices.Equal(kept, d.Course.Survivors[rung-1]) {
			return now
		}
	}
	return now
}

// Progress says, a line for each data set, how far a plan's search is and what follows.
func Progress(p *plan.Plan, ws *workspace.Workspace) ([]string, error) {
	s := p.Experiment.Search
	if s == nil {
		return nil, nil
	}
	decisions, err := Decisions(p, ws)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, d := range p.Experiment.Datasets {
		var parts []string
		for rung := range len(d.Course.Survivors) + 1 {
			parts = append(parts, ofRung(s, decisions, d.Name, rung))
		}
		follows := "then the best of them alone is measured on the test set"
		switch left := len(s.Rungs) - len(parts); {
		case d.Course.Chosen > 0:
			follows = fmt.Sprintf("point %d is chosen", d.Course.Chosen)
		case left > 0:
			follows = wording.Count(left, "rung") + " to follow, by the dev figures of this one"
		}
		lines = append(lines, fmt.Sprintf("search on %s: %s; %s", d.Name, strings.Join(parts, "; "), follows))
	}
	return lines, nil
}

// ofRung counts the points of a rung, from 0.
func ofRung(s *experiment.Search, decisions []Decision, dataset string, rung int) string {
	points, waiting, failed := 0, 0, 0
	for _, d := range decisions {
		if d.Dataset != dataset || d.Trial.Rung != rung+1 {
			continue
		}
		points++
		switch d.State {
		case Waits:
			waiting++
		case Failed:
			failed++
		}
	}
	text := wording.Count(points, "point")
	if s.Budget != "" {
		text = fmt.Sprintf("rung %d of %d, %s of %s %d", rung+1, len(s.Rungs), text, s.Budget, s.Rungs[rung].Budget)
	}
	if waiting > 0 {
		text += fmt.Sprintf(", %d not scored yet", waiting)
	}
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text
}
