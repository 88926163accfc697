package results

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// rowStages are, by table, the stages of a point that its rows come from. Other tables have
// transfer results.
var rowStages = map[string]func(*plan.PointStages) []*plan.Stage{
	"selection":   selections,
	"examples":    transferStages,
	"classifier":  classifiers,
	"divlstm":     divLSTMs,
	"attribution": maskScores,
	"training": func(p *plan.PointStages) []*plan.Stage {
		return slices.Concat(
			measured(p), classifiers(p), divLSTMs(p),
			stagesOfModels(p, func(m *plan.ModelStages) []*plan.Stage {
				return []*plan.Stage{m.Train, m.Transfer.Inputs["guide"]}
			}),
		)
	},
	allTables: func(p *plan.PointStages) []*plan.Stage {
		return slices.Concat(maskScores(p), transfers(p), selections(p), classifiers(p))
	},
}

// ownColumns are the keys for which a table has columns.
var ownColumns = map[string][]string{
	"divlstm":     {"divlstm.lambda_con", "divlstm.reduction"},
	"attribution": {"divlstm.lambda_con", "masking.lambda_eps", "masking.lambda_eps_gradients", "masking.train_on"},
}

func maskScores(p *plan.PointStages) []*plan.Stage {
	return stagesOfMasks(p, func(m *plan.MaskStages) *plan.Stage { return m.Score })
}

func divLSTMs(p *plan.PointStages) []*plan.Stage {
	return stagesOfMasks(p, func(m *plan.MaskStages) *plan.Stage { return m.DivLSTM })
}

func classifiers(p *plan.PointStages) []*plan.Stage {
	out := []*plan.Stage{p.Classifier, p.FastText}
	if p.Unseen != nil {
		out = append(out, p.Unseen)
	}
	return out
}

func selections(p *plan.PointStages) []*plan.Stage {
	return stagesOfModels(p, func(m *plan.ModelStages) []*plan.Stage { return []*plan.Stage{m.Dev} })
}

func transferStages(p *plan.PointStages) []*plan.Stage {
	return stagesOfModels(p, func(m *plan.ModelStages) []*plan.Stage { return []*plan.Stage{m.Transfer} })
}

// transfers returns the scores of the models, and the stages that measure them, which published
// systems share.
func transfers(p *plan.PointStages) []*plan.Stage {
	return append(
		measured(p),
		stagesOfModels(p, func(m *plan.ModelStages) []*plan.Stage { return []*plan.Stage{m.Score} })...,
	)
}

// measured returns the instruments in the order of their names, and the word vectors.
func measured(p *plan.PointStages) (out []*plan.Stage) {
	in := p.PlannedInstruments()
	for _, name := range slices.Sorted(maps.Keys(in)) {
		out = append(out, in[name])
	}
	return append(out, p.Vectors)
}

func stagesOfMasks(p *plan.PointStages, of func(*plan.MaskStages) *plan.Stage) (out []*plan.Stage) {
	for _, m := range p.Masks {
		out = append(out, of(m))
	}
	return out
}

func stagesOfModels(p *plan.PointStages, of func(*plan.ModelStages) []*plan.Stage) (out []*plan.Stage) {
	for _, m := range p.Models {
		out = append(out, of(m)...)
	}
	return out
}

// allTables is the key for all tables together.
const allTables = "page"

// overridesByTable lists, by table, the keys that differ from the profile and on which its rows
// depend: with the profile's value, the stages of its rows would have other identities. It checks a
// key at the first point where it has an effect.
func overridesByTable(plans *plan.Plan, tables []string) (map[string][]report.Override, error) {
	out, seen, places := map[string][]report.Override{}, map[string]bool{}, map[report.Override]int{}
	for _, p := range plans.Points {
		if !newValue(&p.Point, seen) {
			continue
		}
		for _, d := range plans.Experiment.Differences(&p.Point) {
			o := report.Override{Dataset: p.Point.Dataset, Table: d.Table, Key: d.Key, Value: d.Value}
			if slices.Contains(out[allTables], o) {
				continue
			}
			other, err := plans.With(p, d.Undone(p.Point.Settings))
			if err != nil {
				return nil, err
			}
			places[o] = d.Place
			for _, table := range append([]string{allTables}, tables...) {
				if differ(table, p, other) && !slices.Contains(ownColumns[table], d.Table+"."+d.Key) {
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

// differ reports whether a table's rows of two points come from different stages.
func differ(table string, a, b *plan.PointStages) bool {
	stages := rowStages[table]
	if stages == nil {
		stages = transfers
	}
	return !slices.Equal(identitiesOf(stages(a)), identitiesOf(stages(b)))
}

// newValue reports whether a point has a value on an axis that no earlier point has. Checking only
// these points finds keys that act at some points only, and is fast in a large sweep.
func newValue(p *experiment.Point, seen map[string]bool) bool {
	is := false
	for _, a := range append([]experiment.Axis{{}}, p.Axes...) {
		if key := fmt.Sprintf("%s %s %s=%s", p.Dataset, p.Variant, a.Key, a.Value); !seen[key] {
			is, seen[key] = true, true
		}
	}
	return is
}

func identitiesOf(stages []*plan.Stage) []string {
	var ids []string
	for _, s := range stages {
		if s != nil {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
