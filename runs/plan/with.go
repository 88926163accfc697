package plan

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// With returns the stages that a point would have with other settings. The plan stays as it is.
func (p *Plan) With(point *PointStages, s experiment.Settings) (*PointStages, error) {
	sets := p.Experiment.Datasets
	i := slices.IndexFunc(sets, func(d *experiment.Dataset) bool { return d.Name == point.Point.Dataset })
	b := &builder{
		plan: &Plan{Experiment: p.Experiment, Data: p.Data, WordNet: p.WordNet},
		byID: map[identity]*Stage{}, identities: newIdentities(),
	}
	other := point.Point
	other.Settings = s
	out := b.point(sets[i], other)
	return out, b.err
}
