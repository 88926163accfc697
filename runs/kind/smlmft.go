package kind

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// SMLMFT is SMLM-FT: SMLM fine-tuned against a discriminator.
const SMLMFT Kind = "smlm-ft"

var smlmFT = Definition{
	Name: SMLMFT, Version: 2, Inputs: "prepare, vocab, mask, smlm",
	Files: "a model",
}

// SMLMFTSettings is [finetune], and how [smlm] counts reconstructions.
type SMLMFTSettings struct {
	Seed uint64 `json:"seed"`
	experiment.FinetuneSettings
	recipe.Objective // of the reconstructions: the SMLM's
}

// NewSMLMFT returns the settings that matter to fine-tuning.
func NewSMLMFT(s *experiment.Settings, seed uint64) SMLMFTSettings {
	return SMLMFTSettings{seed, s.Finetune, s.SMLM.Objective}
}
