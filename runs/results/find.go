package results

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
)

// Find returns the systems that a name matches (see report.Named). They differ only in the seed.
// dataset may be "" if there is only one data set. If the name matches no system, or systems with
// different settings, the error lists the names to choose from.
func (r *Results) Find(dataset, name string) ([]*System, error) {
	found, err := r.find(dataset, name)
	if err != nil {
		return nil, err
	}
	return found, r.several(name, found)
}

// FindAsMain is like Find, but prefers the systems in the table "main". If the name matches several
// sweep points and dev outputs chose one of these points, FindAsMain returns the systems at this
// point.
func (r *Results) FindAsMain(dataset, name string) ([]*System, error) {
	found, err := r.find(dataset, name)
	if err != nil {
		return nil, err
	}
	if r.chosen != nil {
		shown := lists.Filter(found, func(s *System) bool { return r.chosen.Shows(s.score) })
		if len(seedGroups(shown)) == 1 {
			return shown, nil
		}
	}
	return found, r.several(name, found)
}

// find returns the systems that a name matches, or an error if there are none.
func (r *Results) find(dataset, name string) ([]*System, error) {
	near := lists.Filter(r.Systems, func(s *System) bool { return dataset == "" || s.Dataset() == dataset })
	if len(near) == 0 {
		return nil, userr.New(userr.BadInput, "the data set %q has no finished row: run the experiment first, "+
			"or correct the name", dataset)
	}
	named := report.Named(records(near), name)
	if len(named) == 0 {
		names := wording.ByNearness(name, r.names(near))
		return nil, userr.New(userr.BadInput, "%q is not a finished row: use %s", name, report.Listed(names))
	}
	return lists.Filter(near, func(s *System) bool { return slices.Contains(named, s.Record) }), nil
}

// The method several returns an error if the systems differ in more than the seed.
func (r *Results) several(name string, found []*System) error {
	if len(seedGroups(found)) < 2 {
		return nil
	}
	return userr.New(userr.BadInput, "%q means %s: use %s", name, wording.Count(len(found), "row"),
		report.Listed(r.names(found)))
}

func records(systems []*System) []*report.Record {
	return lists.Map(systems, func(s *System) *report.Record { return s.Record })
}

// seedGroups groups systems that differ only in the seed, in order of first appearance.
func seedGroups(systems []*System) (groups [][]*System) {
	of := map[*report.Record]*System{}
	for _, s := range systems {
		of[s.Record] = s
	}
	for _, group := range report.Over(report.Seed, records(systems)) {
		groups = append(groups, lists.Map(group, func(r *report.Record) *System { return of[r] }))
	}
	return groups
}

// names returns names by which Find finds the given systems. If all seeds of a system are given,
// the name of the system leaves out the seed.
func (r *Results) names(systems []*System) (names []string) {
	for _, group := range seedGroups(systems) {
		for _, s := range group {
			if len(group) == len(r.seedsOf(s)) {
				names = lists.AddOnce(names, s.Name(report.Seed))
			} else {
				names = lists.AddOnce(names, s.Name())
			}
		}
	}
	return names
}

// seedsOf returns the given system and all systems that differ from it only in the seed.
func (r *Results) seedsOf(of *System) []*System {
	for _, group := range seedGroups(r.of(of.Dataset())) {
		if slices.Contains(group, of) {
			return group
		}
	}
	return nil
}
