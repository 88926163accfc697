package results

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// rowStages selects, for each table, the stages that its rows come from. A table that is not listed
// shows test results of systems (see measured).
var rowStages = map[string]func(*plan.Stage) bool{
	"selection": func(s *plan.Stage) bool { return s.Name == stages.Score && s.Points[0].OfDev() },
	"examples":  func(s *plan.Stage) bool { return s.Name == stages.Transfer && !s.Points[0].OfDev() },
	"classifier": func(s *plan.Stage) bool {
		return named(stages.Classifier, stages.UnseenCNN)(s) || s.Name == stages.FastText && s.Any(stages.ShowsFastText)
	},
	"divlstm":     named(stages.DivLSTM),
	"attribution": named(stages.MaskScore),
	"training":    func(s *plan.Stage) bool { return stages.Definition(s.Name).Trains },
	allTables:     (*plan.Stage).Shown,
}

func named(names ...stage.Name) func(*plan.Stage) bool {
	return func(s *plan.Stage) bool { return slices.Contains(names, s.Name) }
}

// The function measured reports whether a stage measures test outputs of systems.
func measured(s *plan.Stage) bool {
	return s.Name == stages.Published || s.Name == stages.Vectors || s.Name == stages.Score && !s.Points[0].OfDev()
}

// ownColumns lists, by table, the keys that have a column of their own in the table.
var ownColumns = map[string][]string{
	"divlstm":     {"divlstm.lambda_con", "divlstm.reduction"},
	"attribution": {"divlstm.lambda_con", "masking.lambda_eps", "masking.lambda_eps_gradients", "masking.train_on"},
}

// allTables is the key that stands for all tables together, in rowStages and in the result of
// overridesByTable.
const allTables = "page"

// overridesByTable lists, by table, the keys that differ from the profile and affect the rows of
// the table. To test a key, it plans the sweep point again with the profile's value of the key. If
// stages that the rows come from then have other identities, the key affects the rows. A key that
// has had an effect at one point is not tested at later points.
func overridesByTable(plans *plan.Plan, tables []string) (map[string][]report.Override, error) {
	out, seen, places := map[string][]report.Override{}, map[string]bool{}, map[report.Override]int{}
	for i := range plans.Points {
		p := &plans.Points[i]
		if !newValue(p, seen) {
			continue
		}
		own, err := plans.With(p, p.Settings)
		if err != nil {
			return nil, err
		}
		for _, d := range plans.Experiment.Differences(p) {
			o := report.Override{Dataset: p.Dataset, Table: d.Table, Key: d.Key, Value: d.Value}
			if slices.Contains(out[allTables], o) {
				continue
			}
			other, err := plans.With(p, d.Undone(p.Settings))
			if err != nil {
				return nil, err
			}
			places[o] = d.Place
			for _, table := range append([]string{allTables}, tables...) {
				if differ(table, own, other) && !slices.Contains(ownColumns[table], d.Table+"."+d.Key) {
					out[table] = append(out[table], o)
				}
			}
		}
	}
	for _, all := range out {
		slices.SortStableFunc(all, func(a, b report.Override) int { return places[a] - places[b] })
	}
	return out, nil
}

// differ reports whether a table's rows in two plans come from different stages.
func differ(table string, a, b *plan.Plan) bool {
	of := rowStages[table]
	if of == nil {
		of = measured
	}
	identities := func(p *plan.Plan) []string {
		ids := lists.Map(lists.Filter(p.Stages, of), func(s *plan.Stage) string { return s.ID })
		return slices.Sorted(slices.Values(ids))
	}
	return !slices.Equal(identities(a), identities(b))
}

// newValue reports whether a point has a value that no earlier point has on the same axis. Only
// such points are tested for overrides. This is fast in a large sweep, and finds keys that have an
// effect at some points only.
func newValue(p *experiment.Point, seen map[string]bool) bool {
	is := false
	for _, a := range append([]experiment.Axis{{}}, p.Axes...) {
		if key := fmt.Sprintf("%s %s %s=%s", p.Dataset, p.Variant, a.Key, a.Value); !seen[key] {
			is, seen[key] = true, true
		}
	}
	return is
}
