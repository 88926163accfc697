// Package classifier holds style classifiers of human text. The one that measures TST% is a Bi-LSTM
// over words, which never trains, guides, selects or ranks a transfer model; a bag of n-grams
// stands beside it in a table. The one that guides is a word CNN, which measures nothing.
package classifier

import (
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Config is the shape of the evaluation classifier, as it is stored beside the weights.
type Config struct {
	Vocab int `json:"vocab"` // words and special tokens
	recipe.BiLSTMShape
	Dropout float64 `json:"dropout"`
}

// Model is embedding -> Bi-LSTM -> last states of both directions -> linear (the paper, "Details of
// Pretrained Classifier").
type Model struct {
	Config Config
	Params *nn.Params
	embed  *nn.Embedding
	lstm   *nn.LSTM
	out    *nn.Linear
}

// New returns a model with fresh weights from torch's seeded generator. Call it on the torch
// thread, in a scope.
func New(c Config) *Model {
	p := nn.NewParams()
	return &Model{
		Config: c, Params: p,
		embed: nn.NewEmbedding(p, "embedding", c.Vocab, c.Embedding),
		lstm:  nn.NewLSTM(p, "lstm", c.Embedding, c.Hidden, true),
		out:   nn.NewLinear(p, "out", 2*c.Hidden, 2),
	}
}

// Logits maps word ids [B, T] to style logits [B, 2].
func (m *Model) Logits(ids *torch.Tensor, train bool) *torch.Tensor {
	x := m.embed.Forward(ids).Dropout(m.Config.Dropout, train) // [B, T, E]
	last := m.lstm.Last(x)                                     // [B, 2H]
	return m.out.Forward(last.Dropout(m.Config.Dropout, train))
}
