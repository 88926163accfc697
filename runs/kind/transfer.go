package kind

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// Transfer writes the test sentences in the other style.
const Transfer Kind = "transfer"

var transfer = Definition{
	Name: Transfer, Version: 2, Inputs: "prepare, vocab, mask, model",
	Files: "`output.{0,1}.txt`, `masked.{0,1}.txt`: of the test sentences, line by line. A line may be empty",
}

// TransferSettings is how a model writes.
type TransferSettings struct {
	Unmasked      recipe.Unmasked `json:"copy"`
	WriteSpecial  bool            `json:"special,omitempty"`        // SMLM and SMLM-FT, where words are predicted
	MaxExtra      int             `json:"max_extra,omitempty"`      // SMLM-G, where words are predicted
	Beam          int             `json:"beam,omitempty"`           // SMLM-G
	LengthPenalty float64         `json:"length_penalty,omitempty"` // SMLM-G with a beam
}

// NewTransfer returns how a model writes, with unmasked words copied or predicted.
func NewTransfer(s *experiment.Settings, model Kind, unmasked recipe.Unmasked) TransferSettings {
	t := TransferSettings{Unmasked: unmasked}
	if model != SMLMG {
		t.WriteSpecial = s.SMLM.WriteSpecial && unmasked == recipe.Predicted
		return t
	}
	t.Beam = s.Decoder.Beam
	if t.Beam > 1 {
		t.LengthPenalty = s.Decoder.LengthPenalty
	}
	if unmasked == recipe.Predicted {
		t.MaxExtra = s.Decoder.MaxExtra
	}
	return t
}
