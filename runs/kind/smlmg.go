package kind

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// SMLMG is SMLM-G, an encoder with an autoregressive decoder.
const SMLMG Kind = "smlm-g"

var smlmG = Definition{
	Name: SMLMG, Version: 2, Inputs: "prepare, vocab, mask",
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

// NewSMLMG returns the settings that matter to the training of SMLM-G.
func NewSMLMG(s *experiment.Settings, seed uint64) SMLMGSettings {
	e, d := s.SMLM, s.Decoder
	d.MaxExtra, d.Beam, d.LengthPenalty, d.NoRepeats = 0, 0, 0, false
	return SMLMGSettings{Seed: seed, Decoder: d, Encoder: experiment.SMLMSettings{
		Training: recipe.Training{Dropout: e.Dropout}, Layers: e.Layers, Heads: e.Heads, Dim: e.Dim, FF: e.FF,
		SourceToken: e.SourceToken, ClsToken: e.ClsToken, TrainEmbeddings: e.TrainEmbeddings,
	}}
}
