package main

import (
	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// benchCase is what one side is to do; both sides read the same fields. The zero value of a field
// is no, none or the CPU.
type benchCase struct {
	Task    string   `json:"task"`              // train, transfer, score, products
	Model   string   `json:"model,omitempty"`   // one of models, guided or lm
	Data    string   `json:"data,omitempty"`    // file of sentences, or of a system's outputs
	Scorer  string   `json:"scorer,omitempty"`  // of the task score
	WordNet string   `json:"wordnet,omitempty"` // folder of it, for METEOR; "" = no METEOR
	Weights []string `json:"weights,omitempty"` // files to start from: the model's and, of smlm-ft, the head's
	Seed    uint64   `json:"seed"`
	Threads int      `json:"threads,omitempty"`
	Device  string   `json:"device,omitempty"`
	BF16    bool     `json:"bf16,omitempty"`

	Vocab int `json:"vocab,omitempty"` // words and special tokens, of every model; of lm the words that it knows

	// The models' shapes, without their vocabularies; smlm-g and smlm-ft have SMLM's.
	SMLM       smlm.Config             `json:"smlm,omitzero"`
	DivLSTM    divlstm.Config          `json:"divlstm,omitzero"`
	Classifier classifier.BiLSTMConfig `json:"classifier,omitzero"`
	Guide      classifier.CNNConfig    `json:"guide,omitzero"`
	LM         lm.Config               `json:"lm,omitzero"`

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

	// How masks are refilled by the model guided; nil = as a plain transfer that copies
	Guided   *recipe.Guided  `json:"guided,omitempty"`
	Slotting recipe.Slotting `json:"slotting,omitzero"` // of the model guided

	Compile   bool `json:"compile,omitempty"`    // theirs: torch.compile
	FusedAdam bool `json:"fused_adam,omitempty"` // theirs: Adam(fused=True)
}

// models lists the models in the order of the tables.
var models = []string{"smlm", "smlm-ft", "smlm-g", "divlstm", "classifier"}

// paperSizes returns a model at the paper's size, trained as the defaults of an experiment file
// have it, over so many words.
func paperSizes(model string, vocab int) benchCase {
	c := benchCase{Task: "train", Model: model, Seed: 1, Vocab: vocab, LR: 1e-3, Beta1: .5, Beta2: .999}
	switch model {
	case "divlstm":
		c.LambdaCon = 10
		c.DivLSTM = divlstm.Config{
			DivLSTMShape: recipe.DivLSTMShape{Embedding: 300, Hidden: 512, Attention: 512, Bidirectional: true},
			Dropout:      .3,
		}
	case "classifier":
		c.Classifier = classifier.BiLSTMConfig{
			BiLSTMShape: recipe.BiLSTMShape{Embedding: 300, Hidden: 512}, Dropout: .3,
		}
	case "lm": // the defaults of [lm]
		c.LM.LMShape = recipe.LMShape{Embedding: 128, Hidden: 256, Layers: 1, Tied: true}
	case "guided": // experiments/guided.toml
		c.SMLM = smlm.Config{
			SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 8, Dim: 256, FF: 1024}, TrainEmbeddings: true, Dropout: .3,
		}
		c.Guide = classifier.CNNConfig{
			CNNShape: recipe.CNNShape{Embedding: 100, Filters: 100, Widths: []int{1, 2, 3, 4}, WordDropout: .1},
			Dropout:  .5,
		}
	default:
		c.SMLM = smlm.Config{
			SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 8, Dim: 512, FF: 2048}, TrainEmbeddings: true, Dropout: .3,
			ControlCodes: recipe.ControlCodes{SourceToken: true},
		}
	}
	switch model {
	case "smlm-ft":
		c.Clip, c.Style, c.Reconstruct = 1e-3, 1, 10
	case "smlm-g":
		c.SMLM.DecoderLayers, c.LR, c.Clip = 2, 5e-4, 1
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
	t, d, b, g, l := &c.SMLM, &c.DivLSTM, &c.Classifier, &c.Guide, &c.LM
	t.Layers, t.DecoderLayers = min(1, t.Layers), min(1, t.DecoderLayers)
	t.Heads, t.Dim, t.FF = min(2, t.Heads), min(16, t.Dim), min(32, t.FF)
	d.Embedding, d.Hidden, d.Attention = min(16, d.Embedding), min(16, d.Hidden), min(16, d.Attention)
	b.Embedding, b.Hidden = min(16, b.Embedding), min(16, b.Hidden)
	g.Embedding, g.Filters = min(16, g.Embedding), min(16, g.Filters)
	l.Embedding, l.Hidden = min(16, l.Embedding), min(16, l.Hidden)
	return c.Batch(60, 9)
}

// Recipe is ours of a case. Its training goes on until the parent ends the worker.
func (c benchCase) Recipe() nn.Recipe {
	t := recipe.Training{
		Epochs: 1 << 30, LR: c.LR, Beta1: c.Beta1, Beta2: c.Beta2, Clip: c.Clip, BatchTokens: c.BatchTokens,
	}
	if c.BF16 {
		t.Precision = recipe.BF16
	}
	// 100,000 steps are more than any measurement makes.
	return nn.Recipe{Training: t, Seed: c.Seed, MaxSteps: 100_000, KeepLast: true}
}
