package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
)

// Find returns the rows of Results that a name means, which differ in the seed alone: a system,
// "SMLM-FT", or a system with some of its settings, "SMLM-FT:lambda_eps=0.5" of all seeds or
// "SMLM-FT:lambda_eps=0.5,seed=2" of one; the letter case of the system matters only where several
// differ in nothing else. dataset may be "" where there is one only. What means no
// row, or rows of several settings, is an error that lists them.
func (r *Results) Find(dataset, name string) ([]int, error) {
	system, settings, _ := strings.Cut(name, ":")
	var found, near []int
	for k := range r.Results {
		row := &r.Results[k]
		if dataset != "" && row.Dataset != dataset {
			continue
		}
		near = append(near, k)
		if row.System == system && hasSettings(row, settings) {
			found = append(found, k)
		}
	}
	if len(found) == 0 { // smlm-ft, as experiment files and --model have it
		found = lists.Where(near, func(k int) bool {
			return strings.EqualFold(r.Results[k].System, system) && hasSettings(&r.Results[k], settings)
		})
	}
	switch {
	case len(near) == 0:
		return nil, userr.New(userr.BadInput, "the data set %q has no finished row: run the experiment first, "+
			"or correct the name", dataset)
	case len(found) == 0:
		return nil, userr.New(userr.BadInput, "%q is not a finished row: use one of these:%s", name, r.names(near))
	case len(r.groups(found)) > 1:
		return nil, userr.New(userr.BadInput, "%q means %s: use one of these:%s", name, wording.Count(len(found), "row"),
			r.names(found))
	}
	return found, nil
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

// hasSettings says whether a row has all of "KEY=VALUE,KEY=VALUE".
func hasSettings(row *report.ResultRow, settings string) bool {
	for part := range strings.SplitSeq(settings, ",") {
		if part != "" && !slices.Contains(settingsOf(row), part) {
			return false
		}
	}
	return true
}

// settingsOf lists a row's swept settings and its seed as Find takes them.
func settingsOf(row *report.ResultRow) []string {
	var out []string
	for _, a := range row.Axes {
		out = append(out, a.Key+"="+a.Value)
	}
	if !row.Published {
		out = append(out, fmt.Sprintf("seed=%d", row.Seed))
	}
	return out
}

// rowSettings are those of a row in running text.
func rowSettings(row *report.ResultRow) string {
	return strings.ReplaceAll(strings.Join(settingsOf(row), ", "), "=", " ")
}

// mostNames is how many rows a message lists: a screen of them.
const mostNames = 40

// names lists some rows as Find takes them, one a line so that they can be read and copied, and
// says how many it leaves out.
func (r *Results) names(rows []int) string {
	var names strings.Builder
	for _, k := range rows[:min(len(rows), mostNames)] {
		row := &r.Results[k]
		name := row.System
		if s := settingsOf(row); len(s) > 0 {
			name += ":" + strings.Join(s, ",")
		}
		fmt.Fprintf(&names, "\n  %q", name)
		if len(r.of(row.Dataset)) < len(r.Results) {
			names.WriteString(" of " + row.Dataset)
		}
	}
	if more := len(rows) - mostNames; more > 0 {
		fmt.Fprintf(&names, "\n  and %d more: the table of results has them all", more)
	}
	return names.String()
}
