package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
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
	system, settings, _ := strings.Cut(name, ":")
	for _, means := range []func(row *report.ResultRow) bool{
		func(row *report.ResultRow) bool { return row.System == system && hasSettings(row, settings) },
		// smlm-ft, as experiment files and --model have it
		func(row *report.ResultRow) bool {
			return strings.EqualFold(row.System, system) && hasSettings(row, settings)
		},
		func(row *report.ResultRow) bool { return printedAs(row, name) },
	} {
		if found := lists.Where(near, func(k int) bool { return means(&r.Results[k]) }); len(found) > 0 {
			return found, nil
		}
	}
	names := wording.ByNearness(name, r.names(near))
	return nil, userr.New(userr.BadInput, "%q is not a finished row: use %s", name, listed(names))
}

// several refuses rows that differ in more than the seed.
func (r *Results) several(name string, found []int) error {
	if len(r.groups(found)) < 2 {
		return nil
	}
	return userr.New(userr.BadInput, "%q means %s: use %s", name, wording.Count(len(found), "row"),
		listed(r.names(found)))
}

// printedAs says whether tables and messages print a row by such a name: its system, and in
// parentheses or behind commas some of its settings, as values, "guided", or with their keys,
// "lambda_eps 0.5". Signs of flaws and numbers of seeds may stand there.
func printedAs(row *report.ResultRow, name string) bool {
	if len(name) < len(row.System) || !strings.EqualFold(name[:len(row.System)], row.System) {
		return false
	}
	rest := strings.TrimLeft(name[len(row.System):], " "+signs)
	if rest != "" && !strings.ContainsAny(rest[:1], "(,:") {
		return false
	}
	parts := strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune("(),:"+signs, c) })
	return !slices.ContainsFunc(parts, func(part string) bool {
		part = strings.TrimSpace(part)
		var seeds int
		if n, err := fmt.Sscanf(part, "%d seed", &seeds); n == 1 && err == nil {
			return false
		}
		return part != "" && !slices.ContainsFunc(settingsOf(row), func(setting string) bool {
			key, value, _ := strings.Cut(setting, "=")
			return slices.Contains([]string{setting, value, report.AxisText(report.Axis{Key: key, Value: value})}, part)
		})
	})
}

// signs may stand behind a system's name in a table.
var signs = metrics.Signs(metrics.AllFlaws()) + "†*"

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

// mostNames is how many rows a message lists: a sentence of them.
const mostNames = 8

// names are some rows as Find takes them, without the seed where all seeds of a row are among them.
func (r *Results) names(rows []int) []string {
	var names []string
	for _, group := range r.groups(rows) {
		for _, k := range group {
			row := &r.Results[k]
			name, settings := row.System, printedSettings(row)
			if whole := len(group) == len(r.seedsOf(k)); !row.Published && !whole {
				settings = append(settings, fmt.Sprintf("seed %d", row.Seed))
			}
			if len(settings) > 0 {
				name += " (" + strings.Join(settings, ", ") + ")"
			}
			names = lists.AddOnce(names, name)
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

// printedSettings are the settings of a row but its seed, as the table main prints them.
func printedSettings(row *report.ResultRow) (out []string) {
	for _, a := range row.Axes {
		if report.Names(a.Key) {
			out = append(out, a.Value)
		} else {
			out = append(out, report.AxisText(a))
		}
	}
	return out
}

// listed are names to choose from in a sentence, the first of many.
func listed(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s, or one of %d others in the table of results", wording.Choice(names[:mostNames]), more)
	}
	return wording.Choice(names)
}
