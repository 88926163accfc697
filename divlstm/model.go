// Package divlstm is the Diversity-LSTM (Mohankumar et al. 2020): an LSTM classifier with a
// conicity loss. This loss keeps the states apart, so that the attention explains the decision.
// Style masking uses this attention to find the words that carry the style.
package divlstm

import (
	"cmp"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Config is the model's shape. It is stored with the weights.
type Config struct {
	Vocab  int `json:"vocab"`            // number of words and special tokens
	Styles int `json:"styles,omitempty"` // number of classes; 0 means 2
	recipe.DivLSTMShape
	Dropout float64 `json:"dropout"`
}

// StylesOrTwo returns the field Styles, or 2 if the field is 0.
func (c Config) StylesOrTwo() int { return cmp.Or(c.Styles, 2) }

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (c Config) Check() error {
	if err := corpus.CheckStyles("Diversity-LSTM", c.Styles); err != nil {
		return err
	}
	return cmp.Or(recipe.CheckVocab("Diversity-LSTM", c.Vocab, corpus.Specials(c.StylesOrTwo())), c.DivLSTMShape.Check())
}

// Numbers returns the number of weights of a model of this shape.
func (c Config) Numbers() float64 {
	words := float64(c.Vocab) * float64(c.Embedding)
	lstm, out := recipe.LSTMNumbers(c.Embedding, c.Hidden), float64(c.Hidden)
	if c.Bidirectional {
		lstm, out = 2*lstm, 2*out
	}
	return words + lstm + float64(c.Attention)*(out+2) + float64(c.StylesOrTwo())*(out+1)
}

// Model is embedding -> LSTM -> additive attention (Bahdanau et al. 2015) -> linear.
type Model struct {
	Config Config
	Params *nn.Params
	embed  *nn.Embedding
	lstm   *nn.LSTM
	attn   *nn.Linear // computes W h + b; see FromInputs
	query  *nn.Linear // holds v of FromInputs; it has no bias
	out    *nn.Linear
}

// New returns a model with fresh weights from torch's seeded generator. Call it inside torch.Run.
func New(c Config) *Model {
	p := nn.NewParams()
	m := &Model{Config: c, Params: p, embed: nn.NewEmbedding(p, "embedding", c.Vocab, c.Embedding)}
	m.lstm = nn.NewLSTM(p, "lstm", c.Embedding, c.Hidden, c.Bidirectional)
	m.attn = nn.NewLinear(p, "attention.hidden", m.lstm.Out(), c.Attention)
	m.query = nn.NewLinearNoBias(p, "attention.query", c.Attention, 1)
	m.out = nn.NewLinear(p, "out", m.lstm.Out(), c.StylesOrTwo())
	return m
}

// Output is the result of a forward pass over a batch of B sentences of T words.
type Output struct {
	Logits    *torch.Tensor // [B, S], for S styles
	Attention *torch.Tensor // [B, T], sums to 1 over T
	States    *torch.Tensor // [B, T, H]
}

// Forward maps word ids [B, T] to logits, attention and states (the paper's appendix, "The
// Diversity Driven LSTM").
func (m *Model) Forward(ids *torch.Tensor, train bool) Output {
	return m.FromInputs(m.Inputs(ids, train))
}

// FromInputs does the same as Forward, but takes the vectors that enter the LSTM [B, T, E]. It uses
// additive attention over the states h (Bahdanau et al. 2015; the paper's appendix):
//
//	score_t = v^T tanh(W h_t + b), alpha = softmax(score), c = sum_t alpha_t h_t
//
// Attention is float32, even if matrix products are in bfloat16.
func (m *Model) FromInputs(x *torch.Tensor) Output {
	h, _ := m.lstm.Forward(x)                                          // [B, T, H]
	score := m.query.Forward(m.attn.Forward(h).To(torch.Float).Tanh()) // [B, T, 1]
	alpha := score.To(torch.Float).Softmax(1)
	context := alpha.Transpose(1, 2).MatMul(h).Reshape(x.Size(0), -1) // [B, H]
	return Output{Logits: m.out.Forward(context), Attention: alpha.Reshape(x.Size(0), x.Size(1)), States: h}
}

// Inputs maps word ids [B, T] to the vectors that enter the LSTM [B, T, E], with dropout in
// training.
func (m *Model) Inputs(ids *torch.Tensor, train bool) *torch.Tensor {
	return m.embed.Forward(ids).Dropout(m.Config.Dropout, train)
}
