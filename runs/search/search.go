// Package search decides which of the drawn points of a hyperparameter search go on to the next
// rung, and which one is measured on the test set. It decides by finished dev scores in the
// workspace and nothing else, so that every process that looks comes to the same decisions, after
// any interruption.
package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// State is what has become of a point in a rung.
type State string

// The states.
const (
	Waits   State = "waits"   // for its dev score
	Scored  State = "scored"  // but others of the rung wait
	Kept    State = "kept"    // for the next rung
	Dropped State = "dropped" //
	Failed  State = "failed"  // and therefore dropped, where the rung is decided
	Chosen  State = "chosen"  // measured on the test set
)

// Decision is one point of a search in one rung.
type Decision struct {
	Dataset string
	Trial   experiment.Trial
	Axes    []experiment.Axis
	Figure  *float64        // mean over seeds; nil: not known
	Flaws   []*metrics.Flaw // of one of the seeds: it comes after those that have none
	State   State
}

// Decisions tells what is decided of a plan's search, in the order of its points; nothing without
// one.
func Decisions(p *plan.Plan, ws *workspace.Workspace) ([]Decision, error) {
	var out []Decision
	s := p.Experiment.Search
	for from := 0; s != nil && from < len(p.Points); {
		first := &p.Points[from].Point
		to := from + 1
		for to < len(p.Points) && p.Points[to].Point.Dataset == first.Dataset &&
			p.Points[to].Point.Trial.Rung == first.Trial.Rung {
			to++
		}
		rung, err := decide(p, ws, p.Points[from:to])
		if err != nil {
			return nil, err
		}
		out, from = append(out, rung...), to
	}
	return out, nil
}

// decide decides the points of one rung, those of a point's seeds beside each other.
func decide(p *plan.Plan, ws *workspace.Workspace, points []*plan.PointStages) ([]Decision, error) {
	s := p.Experiment.Search
	var out []Decision
	for i, first := range points {
		at := &first.Point
		if i > 0 && points[i-1].Point.Trial == at.Trial {
			continue
		}
		d := Decision{Dataset: at.Dataset, Trial: at.Trial, Axes: at.Axes, State: Scored}
		sum := 0.0
		for k := i; k < len(points) && points[k].Point.Trial == at.Trial; k++ {
			score := chooser(p, points[k])
			switch {
			case ws.Done(score):
				figure, flaws, err := read(ws, score, s.Metric())
				if err != nil {
					return nil, err
				}
				sum += figure
				d.Flaws = lists.AddOnce(d.Flaws, flaws...)
			case failed(ws, score):
				d.State = Failed
			case d.State != Failed:
				d.State = Waits
			}
		}
		if d.State == Scored {
			mean := sum / float64(len(p.Experiment.Seeds))
			d.Figure = &mean
		}
		out = append(out, d)
	}
	if !slices.ContainsFunc(out, func(d Decision) bool { return d.State == Waits }) {
		sentence(out, s)
	}
	return out, nil
}

// sentence keeps the best of a rung that all have ended, of equal ones those of lower number.
func sentence(rung []Decision, s *experiment.Search) {
	order := make([]*Decision, len(rung))
	for i := range rung {
		order[i] = &rung[i]
	}
	sign := 1.0
	if s.Maximise != "" {
		sign = -1
	}
	slices.SortStableFunc(order, func(a, b *Decision) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(sign*value(a), sign*value(b)))
	})
	at := rung[0].Trial.Rung
	best, state := 1, Chosen
	if at < len(s.Rungs) {
		best, state = s.Rungs[at].Points, Kept
	}
	for i, d := range order {
		switch {
		case d.State == Failed:
		case i < best:
			d.State = state
		default:
			d.State = Dropped
		}
	}
}

// rank puts those with a flaw after others, and those that failed, or whose figure is no
// number, last.
func rank(d *Decision) int {
	switch {
	case d.Figure == nil || math.IsNaN(*d.Figure):
		return 2
	case len(d.Flaws) > 0:
		return 1
	}
	return 0
}

func value(d *Decision) float64 {
	if rank(d) == 2 {
		return 0
	}
	return *d.Figure
}

// chooser is the dev score by which a point is chosen.
func chooser(p *plan.Plan, point *plan.PointStages) *plan.Stage {
	s := p.Experiment.Search
	i := slices.IndexFunc(point.Models, func(m *plan.ModelStages) bool {
		return m.Model == s.Model && string(m.Decoding) == s.Decoding
	})
	return point.Models[i].Dev
}

// read returns a figure of a finished dev score, and the flaws of its outputs.
func read(ws *workspace.Workspace, score *plan.Stage, figure string) (v float64, flaws []*metrics.Flaw, err error) {
	var found metrics.Scores
	if err := ws.ReadJSON(score, "metrics.json", &found); err != nil {
		return 0, nil, err
	}
	v, ok := found.Metrics[Metric(figure).Key]
	if !ok {
		return 0, nil, fmt.Errorf("the dev score %s has no %s: choose another metric in [search]", score.Title(), figure)
	}
	return v, found.Flaws(), nil
}

// Metric is the metric that the table of selections calls so.
func Metric(figure string) *metrics.Metric {
	all := metrics.Columns()
	return all[slices.IndexFunc(all, func(m *metrics.Metric) bool { return m.Head == figure })]
}

// failed says whether the last try of a stage, or of one that it needs, has failed.
func failed(ws *workspace.Workspace, s *plan.Stage) bool {
	if ws.Done(s) {
		return false
	}
	if ws.Failure(s) != nil {
		return true
	}
	for _, in := range s.Inputs {
		if failed(ws, in) {
			return true
		}
	}
	return false
}

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
		follows := "then only the best of them is measured on the test set"
		switch left := len(s.Rungs) - len(parts); {
		case d.Course.Chosen > 0:
			follows = fmt.Sprintf("point %d is chosen", d.Course.Chosen)
		case left > 0:
			follows = wording.Count(left, "rung") + " to follow, chosen by the dev scores of this one"
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
