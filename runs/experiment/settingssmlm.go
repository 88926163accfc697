package experiment

import (
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// SMLMSettings shape SMLM and the encoder of SMLM-G, on which loss, reduction, reveal,
// random_masks, shift_targets and write_special do not act. epochs, layers, heads and dim are the
// paper's; lr, betas, dropout and ff are the authors' code's, the last five keys for its quirks.
type SMLMSettings struct {
	recipe.Training
	Models []string `json:"models"` // smlm, smlm-g, smlm-ft
	// Decoding is outputs to make and report: "copied" has the source's word wherever nothing was
	// masked, "predicted" the model's own; "guided" copies too, and refills masks as [guided]
	// says
	Decoding []recipe.Decoding `json:"decoding" must:"name one"`
	recipe.SMLMShape
	recipe.Objective
	recipe.VariedMasks
	recipe.ControlCodes
	TrainEmbeddings bool `json:"train_embeddings"` // false: the table stays as drawn
	WriteSpecial    bool `json:"write_special"`    // predicted outputs may hold <unk> and end at the first <eos>
}

// DecoderSettings shape the autoregressive decoder of SMLM-G; dim, heads, ff, dropout are the
// encoder's. The paper gives no value of it, and the authors' code has none.
type DecoderSettings struct {
	recipe.Training
	Layers   int `json:"layers" must:"from 1 to 16384"`
	MaxExtra int `json:"max_extra" must:"from 0 to 1000"` // words an output may be longer than its source
	Beam     int `json:"beam" must:"from 1 to 1000"`      // hypotheses kept, 1 = greedy
	// LengthPenalty is alpha of Wu et al. 2016, eq. 14, for a beam: greater is longer; 0 = none
	LengthPenalty float64 `json:"length_penalty" must:"0 or more"`
	NoRepeats     bool    `json:"no_repeats,omitempty"` // no word of a plain output is chosen beside itself
}

// FinetuneSettings shape the fine-tuning of SMLM-FT (the paper, section "Fine-tuning for TST").
// epochs, clip and lambda_sta are the paper's; lr, beta1, beta2 and dropout those of the authors'
// code.
type FinetuneSettings struct {
	recipe.Training
	recipe.Finetune
}

// Searched is [guided] as it acts on SMLM-G: a beam as wide as one of the two tables says.
func (s *Settings) Searched() recipe.Guided {
	return s.Guided.Searched(max(s.Decoder.Beam, s.Guided.Candidates))
}

// Outputs lists how the words that were not masked are treated in a model's outputs. A loss over
// masked words alone teaches SMLM and SMLM-FT nothing about the others: there is no predicted
// output then.
func (s *Settings) Outputs(model string) []recipe.Decoding {
	return lists.Where(s.SMLM.Decoding, func(u recipe.Decoding) bool {
		return u != recipe.Predicted || s.SMLM.Loss != recipe.Masked || model == "smlm-g"
	})
}
