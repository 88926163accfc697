package stages

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// SMLM is the Transformer encoder that refills masked words.
const SMLM stage.Kind = "smlm"

var smlmKind = stage.Definition{
	Name: SMLM, Version: 3, Inputs: "prepare, vocab, mask",
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

// SMLMG is SMLM-G, an encoder with an autoregressive decoder.
const SMLMG stage.Kind = "smlm-g"

var smlmGKind = stage.Definition{
	Name: SMLMG, Version: 3, Inputs: "prepare, vocab, mask",
	Files: "a model",
}

// SMLMGSettings is [decoder] and, of [smlm], the shape.
type SMLMGSettings struct {
	Seed uint64 `json:"seed"`
	// Encoder is shape and dropout, of the decoder too; all else is zero.
	Encoder experiment.SMLMSettings `json:"encoder"`
	// Decoder has the training of both; dropout and all of decoding are zero, they do not matter
	// here.
	Decoder experiment.DecoderSettings `json:"decoder"`
}

// InPrecision returns the precision that the training is asked for.
func (s SMLMGSettings) InPrecision() string { return s.Decoder.InPrecision() }

// NewSMLMG returns the settings that matter to the training of SMLM-G.
func NewSMLMG(s *experiment.Settings, seed uint64) SMLMGSettings {
	e, d, codes := s.SMLM, s.Decoder, s.SMLM.ControlCodes
	d.MaxExtra, d.Beam, d.LengthPenalty, d.NoRepeats = 0, 0, 0, false
	codes.ShiftTargets = false // it is the decoder that predicts words
	return SMLMGSettings{Seed: seed, Decoder: d, Encoder: experiment.SMLMSettings{
		Training: recipe.Training{Dropout: e.Dropout}, SMLMShape: e.SMLMShape, ControlCodes: codes,
		TrainEmbeddings: e.TrainEmbeddings,
	}}
}

// SMLMFT is SMLM-FT: SMLM fine-tuned against a discriminator.
const SMLMFT stage.Kind = "smlm-ft"

var smlmFTKind = stage.Definition{
	Name: SMLMFT, Version: 3, Inputs: "prepare, vocab, mask, smlm; guide where it judges",
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
