package results

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Find returns the rows of Results that a name matches. They differ only in the seed. A name is a
// system, "SMLM-FT"; or a system with some of its settings, "SMLM-FT:lambda_eps=0.5" for all seeds
// or "SMLM-FT:lambda_eps=0.5,seed=2" for one; or a name as tables and messages print it, "SMLM-FT
// (guided, lambda_eps 0.5)". An exact match of the system wins over a match in another letter case.
// dataset may be "" if there is only one. If a name matches no row, or rows with different
// settings, the error lists the names to choose from.
func (r *Results) Find(dataset, name string) ([]int, error) {
	found, err := r.find(dataset, name)
	if err != nil {
		return nil, err
	}
	return found, r.several(name, found)
}

// FindAsMain is Find, but prefers the rows in the table main. If several points match and dev
// outputs chose one of them, it returns that one.
func (r *Results) FindAsMain(dataset, name string) ([]int, error) {
	found, err := r.find(dataset, name)
	if err != nil {
		return nil, err
	}
	if r.chosen != nil {
		shown := lists.Where(found, func(k int) bool { return r.chosen.Shows(r.scores[k]) })
		if len(r.groups(shown)) == 1 {
			return shown, nil
		}
	}
	return found, r.several(name, found)
}

// find returns the rows that a name matches, at least one.
func (r *Results) find(dataset, name string) ([]int, error) {
	var near []int
	for k := range r.Results {
		if dataset == "" || r.Results[k].Dataset == dataset {
			near = append(near, k)
		}
	}
	if len(near) == 0 {
		return nil, userr.New(userr.BadInput, "the data set %q has no finished row: run the experiment first, "+
			"or correct the name", dataset)
	}
	named := plan.Named(lists.Map(near, func(k int) plan.Row { return rowOf(&r.Results[k]) }), name)
	if len(named) == 0 {
		names := wording.ByNearness(name, r.names(near))
		return nil, userr.New(userr.BadInput, "%q is not a finished row: use %s", name, plan.Listed(names))
	}
	return lists.Map(named, func(i int) int { return near[i] }), nil
}

// several returns an error if the rows differ in more than the seed.
func (r *Results) several(name string, found []int) error {
	if len(r.groups(found)) < 2 {
		return nil
	}
	return userr.New(userr.BadInput, "%q means %s: use %s", name, wording.Count(len(found), "row"),
		plan.Listed(r.names(found)))
}

// groups groups rows that differ only in the seed, in order of first appearance.
func (r *Results) groups(rows []int) [][]int {
	some := make([]report.ResultRow, len(rows))
	for i, k := range rows {
		some[i] = r.Results[k]
	}
	groups := report.BySeed(some)
	for _, group := range groups {
		for j, i := range group {
			group[j] = rows[i]
		}
	}
	return groups
}

// rowOf returns what identifies a row.
func rowOf(row *report.ResultRow) plan.Row {
	return plan.Row{System: row.System, Axes: row.Axes, Seed: row.Seed, Published: row.Published}
}

// names returns names of rows for Find. A name has no seed if all seeds of the row are in rows.
func (r *Results) names(rows []int) []string {
	var names []string
	for _, group := range r.groups(rows) {
		for _, k := range group {
			row := &r.Results[k]
			of, whole := rowOf(row), len(group) == len(r.seedsOf(k))
			names = lists.AddOnce(names, of.Name(!row.Published && !whole))
		}
	}
	return names
}

// seedsOf returns the rows that differ from a row only in the seed, including itself.
func (r *Results) seedsOf(row int) []int {
	for _, group := range r.groups(r.of(r.Results[row].Dataset)) {
		if slices.Contains(group, row) {
			return group
		}
	}
	return nil
}
