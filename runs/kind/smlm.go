package kind

import "github.com/smlm-exp/smlm-exp/runs/experiment"

// SMLM is the Transformer encoder that refills masked words.
const SMLM Kind = "smlm"

var smlm = Definition{
	Name: SMLM, Version: 2, Inputs: "prepare, vocab, mask",
	Files: "a model",
}

// SMLMSettings is [smlm]; Models, Unmasked and WriteSpecial are left out (zero), they matter
// elsewhere.
type SMLMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.SMLMSettings
}

// NewSMLM returns the settings that matter to the training of SMLM.
func NewSMLM(s *experiment.Settings, seed uint64) SMLMSettings {
	m := s.SMLM
	m.Models, m.Unmasked, m.WriteSpecial = nil, nil, false
	return SMLMSettings{seed, m}
}
