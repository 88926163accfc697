package experiment

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// SMLMSettings shape the Transformer encoder of SMLM, and the encoder of SMLM-G. The last six are quirks of the authors' code.
type SMLMSettings struct {
	recipe.Training
	Models          []string `toml:"models" json:"models"`     // smlm, smlm-g, smlm-ft
	Unmasked        []string `toml:"unmasked" json:"unmasked"` // outputs to make and report: "copied" has the source's word wherever nothing was masked, "predicted" the model's own
	Layers          int      `toml:"layers" json:"layers"`
	Heads           int      `toml:"heads" json:"heads"`
	Dim             int      `toml:"dim" json:"dim"`
	FF              int      `toml:"ff" json:"ff"`                             // 2048 gives the paper's 45 million parameters
	Loss            string   `toml:"loss" json:"loss"`                         // counts "all" words (the paper's equation), only "masked" ones, or "positions": control codes too (the authors' code)
	Reduction       string   `toml:"reduction" json:"reduction"`               // of the loss: "word" averages over all that is counted; "sentence" sums over a sentence (the authors' code)
	SourceToken     bool     `toml:"source_token" json:"source_token"`         // [src] beside [dst] in the input; false in the authors' code
	ClsToken        bool     `toml:"cls_token" json:"cls_token"`               // a token in front that the style head may read
	ShiftTargets    bool     `toml:"shift_targets" json:"shift_targets"`       // <bos> in front, and every position predicts the next word
	TrainEmbeddings bool     `toml:"train_embeddings" json:"train_embeddings"` // false: the table stays as drawn
	WriteSpecial    bool     `toml:"write_special" json:"write_special"`       // predicted outputs may hold <unk> and end at the first <eos>
}

// DecoderSettings shape the autoregressive decoder of SMLM-G; dim, heads, ff, dropout are the encoder's. Neither paper nor
// authors' code say anything of it.
type DecoderSettings struct {
	recipe.Training
	Layers        int     `toml:"layers" json:"layers"`
	MaxExtra      int     `toml:"max_extra" json:"max_extra"`           // words an output may be longer than its source
	Beam          int     `toml:"beam" json:"beam"`                     // hypotheses kept, 1 = greedy
	LengthPenalty float64 `toml:"length_penalty" json:"length_penalty"` // alpha of Wu et al. 2016, eq. 14: the greater, the longer; 0 = none
}

// FinetuneSettings are those of SMLM-FT (the paper, section "Fine-tuning for TST").
type FinetuneSettings struct {
	recipe.Training
	LambdaSta     float64 `toml:"lambda_sta" json:"lambda_sta"`           // weight of the style term; the paper: 1
	LambdaRec     float64 `toml:"lambda_rec" json:"lambda_rec"`           // weight of same-style reconstruction; 0 = the paper's text, which collapses to one word
	LambdaRecInv  float64 `toml:"lambda_rec_inv" json:"lambda_rec_inv"`   // weight of reconstructing the source while the other style is asked for (the authors' code; their value is unknown)
	DiscInvWeight float64 `toml:"disc_inv_weight" json:"disc_inv_weight"` // the head also learns to deny transferred sentences their style, with this weight; 0.1 in the authors' code
	HeadLayers    int     `toml:"head_layers" json:"head_layers"`         // linear layers of the style head; 2 in the authors' code
	IncludeCls    bool    `toml:"include_cls" json:"include_cls"`         // the head averages the cls token's state too; needs smlm.cls_token
	MaxSteps      int     `toml:"max_steps" json:"max_steps"`             // stop after this many steps, 0 = whole epochs
}

// Outputs lists how the words that were not masked are treated in a model's outputs. A loss over masked words alone teaches SMLM
// and SMLM-FT nothing about the others: there is no predicted output then.
func (s *Settings) Outputs(model string) []string {
	var out []string
	for _, u := range s.SMLM.Unmasked {
		if u == "predicted" && s.SMLM.Loss == "masked" && model != "smlm-g" {
			continue
		}
		out = append(out, u)
	}
	return out
}
