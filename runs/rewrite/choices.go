package rewrite

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Ranked finds the stages that rewrite dev sentences in the ways among which the ranker chooses,
// all of them finished and whole. Its point is the first of the variant or, where none is asked
// for, the first with ranked outputs. To, From and Decoding are not read.
func (o Choice) Ranked() (*Chosen, error) {
	point, err := o.Point()
	if err != nil {
		return nil, err
	}
	model, err := o.findRanked(point)
	if err != nil && o.Variant == "" {
		for _, p := range o.Plan.Points {
			if m, notHere := o.findRanked(p); notHere == nil {
				point, model, err = p, m, nil
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return o.chosen(point, model, true)
}

// findRanked returns the model asked for, whose guided outputs are ranked.
func (o Choice) findRanked(p *plan.PointStages) (*plan.ModelStages, error) {
	var of []*plan.ModelStages
	var names []string
	for _, m := range p.Models {
		if m.Decoding == recipe.GuidedDecoding && m.Train.Name != stages.SMLMG { // which has no ways
			of, names = append(of, m), lists.AddOnce(names, m.Model)
		}
	}
	asked := cmp.Or(strings.ToLower(o.Model), "smlm-ft")
	at := slices.IndexFunc(of, func(m *plan.ModelStages) bool { return m.Model == asked })
	switch {
	case len(of) == 0:
		return nil, userr.New(userr.BadInput, "%s has no guided outputs of SMLM or SMLM-FT, so there is nothing to choose "+
			`among: add "smlm" to smlm.models and "guided" to smlm.decoding, and run it`, o.file())
	case at < 0 && o.Model != "":
		return nil, userr.New(userr.BadInput, "--model %s has no guided outputs of which a ranker could choose in %s: use %s",
			o.Model, o.file(), strings.Join(names, " or "))
	}
	m := of[max(0, at)]
	switch settings, _ := m.Transfer.Settings.(stages.TransferSettings); {
	case settings.Guided.Ranked:
		return m, nil
	case o.Variant != "":
		return nil, userr.New(userr.BadInput, "guided.ranked is off in the variant %s, so there is nothing to choose "+
			"among: name a variant that has it on, or set it there", o.Variant)
	}
	return nil, userr.New(userr.BadInput, "guided.ranked is off in %s, so there is nothing to choose among: add "+
		"--set guided.ranked=true", o.file())
}
