package kind

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// SMLMFT is SMLM-FT: SMLM fine-tuned against a discriminator.
const SMLMFT Kind = "smlm-ft"

var smlmFT = Definition{
	Name: SMLMFT, Version: 2, Inputs: "prepare, vocab, mask, smlm; guide where it judges",
	Files: "a model",
}

// SMLMFTSettings is [finetune], and how [smlm] counts reconstructions.
type SMLMFTSettings struct {
	Seed uint64 `json:"seed"`
	experiment.FinetuneSettings
	recipe.Objective // of the reconstructions: the SMLM's
}

// NewSMLMFT returns the settings that matter to fine-tuning by the judge that they name. A reading
// of L_FT is the weight that it comes to, as identities have had it since before readings had
// names.
func NewSMLMFT(s *experiment.Settings, seed uint64) SMLMFTSettings {
	f := s.Finetune
	f.DiscInvWeight, f.Reading = f.Reading.Weight(f.DiscInvWeight), ""
	if f.Judge == recipe.Guide {
		f.LambdaRecInv, f.DiscInvWeight, f.HeadLayers, f.IncludeCls = 0, 0, 0, false
	} else {
		f.Judge, f.LambdaKL, f.Temperature = "", 0, 0
	}
	return SMLMFTSettings{seed, f, s.SMLM.Objective}
}
