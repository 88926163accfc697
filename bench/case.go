package main

import (
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// benchCase is what one side is to do; both sides read the same fields. The zero value of a field
// is no, none or the CPU.
type benchCase struct {
	Task    string   `json:"task"`              // train, transfer, score, products
	Model   string   `json:"model,omitempty"`   // one of Models, guided or lm
	Data    string   `json:"data,omitempty"`    // file of sentences, or of a system's outputs
	Scorer  string   `json:"scorer,omitempty"`  // of the task score
	WordNet string   `json:"wordnet,omitempty"` // folder of it, for METEOR; "" = no METEOR
	Weights []string `json:"weights,omitempty"` // files to start from: the model's and, of smlm-ft, the head's
	Seed    uint64   `json:"seed"`
	Threads int      `json:"threads,omitempty"`
	Device  string   `json:"device,omitempty"`
	BF16    bool     `json:"bf16,omitempty"`

	Vocab         int     `json:"vocab,omitempty"`
	Layers        int     `json:"layers,omitempty"`
	DecoderLayers int     `json:"decoder_layers,omitempty"`
	Heads         int     `json:"heads,omitempty"`
	Dim           int     `json:"dim,omitempty"`
	FF            int     `json:"ff,omitempty"`
	Embedding     int     `json:"embedding,omitempty"`
	Hidden        int     `json:"hidden,omitempty"`
	Attention     int     `json:"attention,omitempty"`
	Dropout       float64 `json:"dropout"`

	LR          float64 `json:"lr"`
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Clip        float64 `json:"clip,omitempty"`
	Style       float64 `json:"style"`                // smlm-ft
	Reconstruct float64 `json:"reconstruct"`          // smlm-ft
	LambdaCon   float64 `json:"lambda_con,omitempty"` // divlstm
	MaskedOnly  bool    `json:"masked_only,omitempty"`

	BatchTokens int  `json:"batch_tokens,omitempty"` // words of a batch of ours, whose sentences have one length
	BatchSize   int  `json:"batch_size,omitempty"`   // sentences of a batch of theirs
	Padded      bool `json:"padded,omitempty"`       // theirs pads, masks and packs: lengths differ

	Copy bool `json:"copy,omitempty"` // transfer keeps unmasked words
	// theirs computes logits where they count, with copy or masked_only
	MaskedLogits bool `json:"masked_logits,omitempty"`
	MaxExtra     int  `json:"max_extra,omitempty"` // smlm-g

	// How masks are refilled by the model guided, of which Embedding and Hidden are the guide's
	// embedding and filters; nil = as a plain transfer that copies
	Guided *recipe.Guided `json:"guided,omitempty"`

	Compile   bool `json:"compile,omitempty"`    // theirs: torch.compile
	FusedAdam bool `json:"fused_adam,omitempty"` // theirs: Adam(fused=True)
}

// models in the order of the tables.
var models = []string{"smlm", "smlm-ft", "smlm-g", "divlstm", "classifier"}

// paperSizes returns a model at the paper's size, trained as the defaults of an experiment file
// have it, over so many words.
func paperSizes(model string, vocab int) benchCase {
	c := benchCase{Task: "train", Model: model, Seed: 1, Vocab: vocab, Dropout: .3, LR: 1e-3, Beta1: .5, Beta2: .999}
	switch model {
	case "divlstm":
		c.Embedding, c.Hidden, c.Attention, c.LambdaCon = 300, 512, 512, 10
	case "classifier":
		c.Embedding, c.Hidden = 300, 512
	case "lm": // the defaults of [lm]
		c.Embedding, c.Hidden = 128, 256
	case "guided": // experiments/guided.toml
		c.Layers, c.Heads, c.Dim, c.FF, c.Embedding, c.Hidden = 2, 8, 256, 1024, 100, 100
	default:
		c.Layers, c.Heads, c.Dim, c.FF = 2, 8, 512, 2048
	}
	switch model {
	case "smlm-ft":
		c.Clip, c.Style, c.Reconstruct = 1e-3, 1, 10
	case "smlm-g":
		c.DecoderLayers, c.LR, c.Clip = 2, 5e-4, 1
	}
	return c
}

// Batch sets the words of a batch, given the mean length of a sentence: on average both sides have
// as many in one.
func (c benchCase) Batch(words int, mean float64) benchCase {
	c.BatchTokens, c.BatchSize = words, max(1, int(float64(words)/mean+.5))
	return c
}

// tiny shrinks a case, for steps of a millisecond.
func tiny(c benchCase) benchCase {
	c.Vocab = 200
	c.Layers, c.DecoderLayers = min(1, c.Layers), min(1, c.DecoderLayers)
	c.Heads, c.Dim, c.FF = min(2, c.Heads), min(16, c.Dim), min(32, c.FF)
	c.Embedding, c.Hidden, c.Attention = min(16, c.Embedding), min(16, c.Hidden), min(16, c.Attention)
	return c.Batch(60, 9)
}

// Recipe is ours of a case; it never ends by itself.
func (c benchCase) Recipe() nn.Recipe {
	t := recipe.Training{
		Epochs: 1 << 30, LR: c.LR, Beta1: c.Beta1, Beta2: c.Beta2, Clip: c.Clip, BatchTokens: c.BatchTokens,
	}
	if c.BF16 {
		t.Precision = recipe.BF16
	}
	return nn.Recipe{Training: t, Seed: c.Seed, KeepLast: true}
}
