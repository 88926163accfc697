// Package lm is a word-level LSTM language model (Mikolov et al. 2010; Zaremba et al. 2014). Its
// perplexity measures how fluent transferred sentences are. Unlike the metric naturalness, for
// which a unigram classifier is used, perplexity depends on word order and context. The language
// model is trained on the human training text of a data set, all styles together. It is never used
// to train, select or rank a transfer model.
//
// An unknown word is scored as <unk>, with the probability of all unknown words together. So read a
// perplexity together with the number of unknown words in Scores.
package lm

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Config is a model's shape and the words it knows. It is stored with the weights.
type Config struct {
	First int `json:"first"` // id of the first known word
	Known int `json:"known"` // number of known words (see KnownWords); their ids follow each other
	recipe.LMShape
	Dropout float64 `json:"dropout"` // probability of dropout of word vectors and states
}

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (c Config) Check() error {
	for _, n := range []struct {
		name         string
		value, least int
	}{{"embedding", c.Embedding, 1}, {"hidden", c.Hidden, 1}, {"known", c.Known, 0}} {
		if n.value < n.least {
			return userr.New(userr.BadInput, "the language model's %s is %d: it must be at least %d", n.name, n.value, n.least)
		}
	}
	if !(c.Dropout >= 0 && c.Dropout < 1) {
		return userr.New(
			userr.BadInput, "the language model's dropout is %v: it must be at least 0 and less than 1", c.Dropout,
		)
	}
	return nil
}

// Numbers returns the number of weights of a model of this shape.
func (c Config) Numbers() float64 {
	e, h, classes := float64(c.Embedding), float64(c.Hidden), float64(c.Classes())
	return (classes+1)*e + recipe.LSTMNumbers(c.Embedding, c.Hidden) + e*h + classes
}

// Classes returns the number of classes that can come next: <unk>, <eos> and the known words.
func (c Config) Classes() int { return firstWord + c.Known }

// Classes are numbered in this order: <unk>, <eos>, the known words. <bos> comes after them,
// because it is an input but is never predicted.
const (
	unkClass = iota
	eosClass
	firstWord
)

// Model is embedding -> LSTM -> projection -> vocabulary layer. The vocabulary layer's weights are
// the word vectors (Press and Wolf 2017). The projection maps states to the width of word vectors.
type Model struct {
	Config  Config
	Params  *nn.Params
	embed   *nn.Embedding
	lstm    *nn.LSTM
	project *nn.Linear    // has no bias
	bias    *torch.Tensor // bias of the vocabulary layer
}

// New returns a model with fresh weights from torch's seeded generator. Call it inside torch.Run,
// with a Config that passes Check.
func New(c Config) *Model {
	p := nn.NewParams()
	n := c.Classes()
	return &Model{
		Config: c, Params: p,
		embed:   nn.NewEmbedding(p, "embedding", n+1, c.Embedding),
		lstm:    nn.NewLSTM(p, "lstm.0", c.Embedding, c.Hidden, false),
		project: nn.NewLinearNoBias(p, "project", c.Hidden, c.Embedding),
		bias:    p.Add("out.bias", torch.Zeros(int64(n))),
	}
}

// states maps classes [B, T] to the LSTM's states [B*T, H], with dropout in training.
func (m *Model) states(classes *torch.Tensor, train bool) *torch.Tensor {
	x := m.embed.Forward(classes).Dropout(m.Config.Dropout, train)
	x, _ = m.lstm.Forward(x)
	return x.Dropout(m.Config.Dropout, train).Reshape(-1, int64(m.Config.Hidden))
}

// vocab returns the vocabulary layer's weights [Classes, Embedding].
func (m *Model) vocab() *torch.Tensor {
	return m.embed.W.Narrow(0, 0, int64(m.Config.Classes()))
}

// Signature returns one line that describes how a perplexity was computed, and by which model. dev
// is the model's perplexity on the data set's dev text.
func (m *Model) Signature(dev float64) string {
	c := m.Config
	return fmt.Sprintf(
		"perplexity|lstm:e%d,h%d,l1,tied|trained:human-train|words:%d|unk:train-count<%d,share>=%g|end:counted|dev-ppl:%.2f|agg:corpus|version:1",
		c.Embedding,
		c.Hidden,
		c.Known,
		minCount,
		unkShare,
		dev,
	)
}
