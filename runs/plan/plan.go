// Package plan builds a graph of the stages that an experiment needs, without duplicates. A Stage
// has a name, settings and inputs. Its identity is the hash of all that determines its result, so
// equal stages are one stage, within a sweep and across sweeps. The function New starts from the
// results that the experiment shows and adds the stages that they need. It runs no stage and writes
// nothing.
package plan

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Plan is the graph of stages that an experiment needs, without duplicates.
type Plan struct {
	*data.Study
	Stages []*Stage           // each stage comes after its inputs
	Points []experiment.Point // in the order of Experiment.Points

	refs map[stage.Ref]*Stage
}

// New reads and hashes the data of the experiment and lays out its stages. Its error lists
// everything that is wrong with the data, one line per file.
func New(e *experiment.Experiment) (*Plan, error) {
	study, err := data.Open(e)
	if err != nil {
		return nil, err
	}
	points := e.Points()
	for i := range points {
		if err := study.CheckEncoders(&points[i].Settings); err != nil {
			return nil, err
		}
	}
	p := newBuilder(study).all(points)
	p.label()
	return p, p.checkAgainst()
}

// The method "at" returns a point of the sweep as a stage.Point.
func (p *Plan) at(of *experiment.Point) stage.Point { return stage.Point{Point: of, Study: p.Study} }

// All returns the points of the sweep as stage.Points.
func (p *Plan) All() (points []stage.Point) {
	for i := range p.Points {
		points = append(points, p.at(&p.Points[i]))
	}
	return points
}

// Get returns the stage with the given name for a stage.Point, or nil if the plan does not have it.
func (p *Plan) Get(name stage.Name, of stage.Point) *Stage {
	of.Path = ""
	return p.refs[stage.Ref{Name: name, Point: stages.Definition(name).Scope.Clear(of)}]
}

// Named lists the stages that have one of the given names.
func (p *Plan) Named(names ...stage.Name) []*Stage {
	return lists.Filter(p.Stages, func(s *Stage) bool { return slices.Contains(names, s.Name) })
}

// Unchanged returns an error if a file outside the workspace that the stage reads has changed since
// the plan was made. The stage's identity depends on such files.
func (p *Plan) Unchanged(s *Stage) error {
	sources := slices.Sorted(maps.Values(s.Sources))
	for _, d := range p.Sets {
		if err := d.Unchanged(sources); err != nil {
			return err
		}
	}
	return nil
}

// ReadsData reports whether the stage reads the user's data set. If such a stage fails with
// userr.BadInput, the data are wrong.
func (s *Stage) ReadsData() bool { return s.Sources["dir"] != "" }

// Short returns the stage's name and the start of its identity, for people.
func (s *Stage) Short() string { return string(s.Name) + " " + s.ID[:min(6, len(s.ID))] }

// Title returns the result of Short, followed by the stage's label.
func (s *Stage) Title() string {
	if s.Label == "" {
		return s.Short()
	}
	return s.Short() + " (" + s.Label + ")"
}

// Select lists the stages that match one of the patterns, and all stages that these stages need, in
// the plan's order.
func (p *Plan) Select(patterns []string) []*Stage {
	need := map[*Stage]bool{}
	for i := len(p.Stages) - 1; i >= 0; i-- { // inputs come before the stages that need them
		if s := p.Stages[i]; need[s] || s.Matches(patterns) {
			need[s] = true
			for _, in := range s.Inputs {
				need[in] = true
			}
		}
	}
	return lists.Filter(p.Stages, func(s *Stage) bool { return need[s] })
}

// Resting returns the stages that fulfil a condition and all stages that depend on them.
func (p *Plan) Resting(is func(*Stage) bool) map[*Stage]bool {
	rest := map[*Stage]bool{}
	for _, s := range p.Stages { // inputs come before the stages that need them
		if is(s) || s.Needs(rest) {
			rest[s] = true
		}
	}
	return rest
}

var errNoMatch = errors.New("there is no such stage")

// CheckPatterns returns an error if a pattern matches no stage of the plan.
func (p *Plan) CheckPatterns(flag string, patterns []string) error {
	for _, pattern := range patterns {
		if !slices.ContainsFunc(p.Stages, func(s *Stage) bool { return s.Matches([]string{pattern}) }) {
			names := lists.Map(p.Stages, func(s *Stage) stage.Name { return s.Name })
			known := slices.Compact(slices.Sorted(slices.Values(names)))
			return &userr.Error{Code: userr.BadInput, Err: errNoMatch, Text: fmt.Sprintf(
				"%s %s: the plan has no such stage%s: give a name, or at least four digits of an identity",
				flag, pattern, wording.DidYouMean(stage.Name(pattern), known))}
		}
	}
	return nil
}

// Matches reports whether the stage matches one of the patterns. A pattern is a name, the start of
// an identity, or a name with the start of an identity ("smlm", "3fa9", "smlm/3fa9").
func (s *Stage) Matches(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		name, id, both := strings.Cut(filepath.ToSlash(p), "/")
		if both {
			return name == string(s.Name) && strings.HasPrefix(s.ID, id)
		}
		return p == string(s.Name) || (len(p) >= 4 && strings.HasPrefix(s.ID, p))
	})
}
