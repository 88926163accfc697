package results

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Find returns the rows of Results that a name means, which differ in the seed alone: a system,
// "SMLM-FT", or a system with some of its settings, "SMLM-FT:lambda_eps=0.5" of all seeds or
// "SMLM-FT:lambda_eps=0.5,seed=2" of one, or as tables and messages print them, "SMLM-FT (guided,
// lambda_eps 0.5)"; the letter case of the system matters only where several differ in nothing
// else. dataset may be "" where there is one only. What means no row, or rows of several settings,
// is an error that lists them.
func (r *Results) Find(dataset, name string) ([]int, error) {
	found, err := r.find(dataset, name)
	if err != nil {
		return nil, err
	}
	return found, r.several(name, found)
}

// FindAsMain is Find, but what names a row of the table main means that row, where dev outputs
// chose the one of several points that stands there.
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

// find returns the rows that a name may mean, at least one.
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

// several refuses rows that differ in more than the seed.
func (r *Results) several(name string, found []int) error {
	if len(r.groups(found)) < 2 {
		return nil
	}
	return userr.New(userr.BadInput, "%q means %s: use %s", name, wording.Count(len(found), "row"),
		plan.Listed(r.names(found)))
}

// groups puts rows together that differ in the seed alone, in order of first appearance.
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

// rowOf is what names a row.
func rowOf(row *report.ResultRow) plan.Row {
	return plan.Row{System: row.System, Axes: row.Axes, Seed: row.Seed, Published: row.Published}
}

// names are some rows as Find takes them, without the seed where all seeds of a row are among them.
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

// seedsOf are the rows that differ from a row in the seed alone, with itself.
func (r *Results) seedsOf(row int) []int {
	for _, group := range r.groups(r.of(r.Results[row].Dataset)) {
		if slices.Contains(group, row) {
			return group
		}
	}
	return nil
}
