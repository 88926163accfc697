package plan

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// train adds the training of a transfer model.
func (b *builder) train(ps *PointStages, model string, m MaskStages, u use) *Stage {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	in := ps.reading(inputs{"mask": m.Mask})
	switch model {
	case "smlm-g":
		return b.stage(kind.SMLMG, kind.NewSMLMG(s, seed), in, u)
	case "smlm-ft":
		in["smlm"] = b.stage(kind.SMLM, kind.NewSMLM(s, seed), in, u)
		return b.stage(kind.SMLMFT, kind.NewSMLMFT(s, seed), in, u)
	}
	return b.stage(kind.SMLM, kind.NewSMLM(s, seed), in, u)
}

// model adds a trained model's outputs and their score.
func (b *builder) model(
	ps *PointStages, model string, train *Stage, m MaskStages, unmasked recipe.Unmasked, u use,
) ModelStages {
	s := &ps.Point.Settings
	out := ModelStages{Model: model, Method: m.Method, Unmasked: unmasked, Train: train}
	u.model, u.unmasked = model, string(unmasked)
	out.Transfer = b.stage(
		kind.Transfer, kind.NewTransfer(s, train.Kind, unmasked), ps.reading(inputs{"mask": m.Mask, "model": train}), u,
	)
	out.Score = b.score(ps, out.Transfer, u)
	return out
}

// SystemNames are what tables call the transfer models.
var SystemNames = map[string]string{"smlm": "SMLM", "smlm-g": "SMLM-G", "smlm-ft": "SMLM-FT"}
