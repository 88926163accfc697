package plan

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// train adds the training of a transfer model.
func (b *builder) train(ps *PointStages, model string, m MaskStages, u use) *Stage {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	in := ps.reading(inputs{"mask": m.Mask})
	switch model {
	case "smlm-g":
		return b.stage(KindSMLMG, smlmG(seed, s), in, u)
	case "smlm-ft":
		in["smlm"] = b.stage(KindSMLM, smlmStage(seed, s), in, u)
		return b.stage(KindSMLMFT, SMLMFTStage{seed, s.Finetune, s.SMLM.Objective}, in, u)
	}
	return b.stage(KindSMLM, smlmStage(seed, s), in, u)
}

// model adds a trained model's outputs and their score.
func (b *builder) model(
	ps *PointStages, model string, train *Stage, m MaskStages, unmasked recipe.Unmasked, u use,
) ModelStages {
	s := &ps.Point.Settings
	out := ModelStages{Model: model, Method: m.Method, Unmasked: unmasked, Train: train}
	transfer := TransferStage{Unmasked: unmasked}
	if model == "smlm-g" {
		transfer.Beam = s.Decoder.Beam
		if transfer.Beam > 1 {
			transfer.LengthPenalty = s.Decoder.LengthPenalty
		}
		if unmasked == recipe.Predicted {
			transfer.MaxExtra = s.Decoder.MaxExtra
		}
	} else {
		transfer.WriteSpecial = s.SMLM.WriteSpecial && unmasked == recipe.Predicted
	}
	u.model, u.unmasked = model, string(unmasked)
	out.Transfer = b.stage(KindTransfer, transfer, ps.reading(inputs{"mask": m.Mask, "model": train}), u)
	out.Score = b.score(ps, out.Transfer, u)
	return out
}

func smlmStage(seed uint64, s *experiment.Settings) SMLMStage {
	m := s.SMLM
	m.Models, m.Unmasked, m.WriteSpecial = nil, nil, false
	return SMLMStage{seed, m}
}

func smlmG(seed uint64, s *experiment.Settings) SMLMGStage {
	e, d := s.SMLM, s.Decoder
	d.MaxExtra, d.Beam, d.LengthPenalty = 0, 0, 0
	return SMLMGStage{Seed: seed, Decoder: d, Encoder: experiment.SMLMSettings{
		Training: recipe.Training{Dropout: e.Dropout}, Layers: e.Layers, Heads: e.Heads, Dim: e.Dim, FF: e.FF,
		SourceToken: e.SourceToken, ClsToken: e.ClsToken, TrainEmbeddings: e.TrainEmbeddings,
	}}
}

// SystemNames are what tables call the transfer models.
var SystemNames = map[string]string{"smlm": "SMLM", "smlm-g": "SMLM-G", "smlm-ft": "SMLM-FT"}
