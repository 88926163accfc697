package main

import (
	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// benchCase tells a worker what to run. Our worker and plain PyTorch's worker read the same fields.
type benchCase struct {
	Task    string   `json:"task"`              // train or transfer
	Model   string   `json:"model"`             // one of models
	Data    string   `json:"data"`              // file of sentences
	Weights []string `json:"weights,omitempty"` // initial weights: files of the model and, for smlm-ft, the head
	Device  string   `json:"device"`
	BF16    bool     `json:"bf16"`

	Vocab int `json:"vocab"` // number of words and special tokens

	// The shapes of the models, without vocabulary sizes. smlm-g and smlm-ft use the field SMLM.
	SMLM       smlm.Config             `json:"smlm,omitzero"`
	DivLSTM    divlstm.Config          `json:"divlstm,omitzero"`
	Classifier classifier.BiLSTMConfig `json:"classifier,omitzero"`
	LM         lm.Config               `json:"lm,omitzero"`

	LR          float64 `json:"lr"`
	Beta1       float64 `json:"beta1"`
	Clip        float64 `json:"clip"`
	Style       float64 `json:"style"`       // weight of the style term of smlm-ft
	Reconstruct float64 `json:"reconstruct"` // weight of the reconstruction term of smlm-ft
	LambdaCon   float64 `json:"lambda_con"`  // weight of the conicity term of divlstm

	BatchTokens int  `json:"batch_tokens"` // our worker: words per batch; its sentences have one length
	BatchSize   int  `json:"batch_size"`   // plain PyTorch: sentences per batch
	Padded      bool `json:"padded"`       // set if sentence lengths differ; plain PyTorch then pads, masks and packs

	Copy bool `json:"copy"` // set if a transfer keeps unmasked words
}

// models lists the models in the order in which the tables show them.
var models = []string{"smlm", "smlm-ft", "smlm-g", "divlstm", "classifier", "lm"}

// paperSizes returns a case that trains a model of the paper's size. The other settings are the
// defaults of an experiment file.
func paperSizes(model string) benchCase {
	c := benchCase{
		Task: "train", Model: model, Device: "cpu", Vocab: 10_000, LR: 1e-3, Beta1: .5,
	}
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
	case "lm": // the paper has no such language model
		c.LR, c.Beta1, c.Clip = 3e-3, .9, 1
		c.LM = lm.Config{
			LMShape: recipe.LMShape{Embedding: 128, Hidden: 256}, Dropout: .2,
		}
	default:
		c.SMLM = smlm.Config{
			SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 8, Dim: 512, FF: 2048}, Dropout: .3,
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

// tiny shrinks the models of a case, so that a training step takes about a millisecond.
func tiny(c benchCase) benchCase {
	c.Vocab = 200
	s, d, b, l := &c.SMLM, &c.DivLSTM, &c.Classifier, &c.LM
	s.Layers, s.DecoderLayers = min(1, s.Layers), min(1, s.DecoderLayers)
	s.Heads, s.Dim, s.FF = min(2, s.Heads), min(16, s.Dim), min(32, s.FF)
	d.Embedding, d.Hidden, d.Attention = min(16, d.Embedding), min(16, d.Hidden), min(16, d.Attention)
	b.Embedding, b.Hidden = min(16, b.Embedding), min(16, b.Hidden)
	l.Embedding, l.Hidden = min(16, l.Embedding), min(16, l.Hidden)
	return c
}

// batched sets the batch sizes of our worker and of plain PyTorch. On average, a batch of either
// has the given number of words. mean is the mean length of a sentence in words.
func (c benchCase) batched(words int, mean float64) benchCase {
	c.BatchTokens, c.BatchSize = words, max(1, int(float64(words)/mean+.5))
	if c.Model == "lm" { // the language model counts the end of a sentence as a word
		c.BatchTokens += c.BatchSize
	}
	return c
}

// recipe returns our worker's training recipe.
func (c benchCase) recipe(epochs int) nn.Recipe {
	t := recipe.Training{
		Epochs: epochs, LR: c.LR, Beta1: c.Beta1, Clip: c.Clip, BatchTokens: c.BatchTokens,
	}
	if c.BF16 {
		t.Precision = recipe.BF16
	}
	return nn.Recipe{Training: t, Seed: seed, KeepLast: true}
}

// seed is the seed of weights, batches and dropout of all workers.
const seed = 1
