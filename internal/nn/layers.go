// Package nn contains the parts that all trained models share: named parameters with PyTorch's
// default initialisation, layers, Adam, safetensors checkpoints and one training loop. Names follow
// PyTorch's state dicts.
package nn

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Linear is y = x W^T + b, with W, b ~ U(-1/sqrt(in), 1/sqrt(in)) as in torch.nn.Linear.
type Linear struct{ W, B *torch.Tensor }

// NewLinear adds a linear layer with the given numbers of input and output features.
func NewLinear(p *Params, name string, in, out int) *Linear {
	bound := 1 / math.Sqrt(float64(in))
	l := &Linear{W: p.Add(name+".weight", torch.Uniform(-bound, bound, int64(out), int64(in)))}
	l.B = p.Add(name+".bias", torch.Uniform(-bound, bound, int64(out)))
	return l
}

// NewLinearNoBias adds a linear layer without bias.
func NewLinearNoBias(p *Params, name string, in, out int) *Linear {
	bound := 1 / math.Sqrt(float64(in))
	return &Linear{W: p.Add(name+".weight", torch.Uniform(-bound, bound, int64(out), int64(in)))}
}

// Forward maps [..., in] to [..., out].
func (l *Linear) Forward(x *torch.Tensor) *torch.Tensor { return x.Linear(l.W, l.B) }

// packed returns the layer prepared for products outside training.
func (l *Linear) packed(packing torch.Packing) *torch.Packed { return torch.Pack(l.W, l.B, packing) }

// GELU applies GELU to the result of Forward.
func (l *Linear) GELU(x *torch.Tensor) *torch.Tensor { return x.LinearGELU(l.W, l.B) }

// Embedding is a table of word vectors, drawn from U(-0.1, 0.1) as in the paper's published code.
type Embedding struct{ W *torch.Tensor }

// NewEmbedding adds a table of n vectors of dim numbers.
func NewEmbedding(p *Params, name string, n, dim int) *Embedding {
	return &Embedding{W: p.Add(name+".weight", torch.Uniform(-0.1, 0.1, int64(n), int64(dim)))}
}

// Forward maps ids [...] to vectors [..., dim].
func (e *Embedding) Forward(ids *torch.Tensor) *torch.Tensor { return torch.Embed(e.W, ids) }

// LayerNorm normalises the last dimension (Ba et al. 2016). Its scale W starts at 1, and its shift
// B starts at 0.
type LayerNorm struct {
	W, B *torch.Tensor
	Eps  float64 // added to the variance
}

// NewLayerNorm adds a layer norm over dim features, with eps 1e-5 as torch.nn.LayerNorm.
func NewLayerNorm(p *Params, name string, dim int) *LayerNorm {
	return &LayerNorm{
		W: p.Add(name+".weight", torch.Ones(int64(dim))), B: p.Add(name+".bias", torch.Zeros(int64(dim))), Eps: 1e-5,
	}
}

// Add returns the layer norm of x + dropout(y), both [..., dim]. p is the dropout rate, which must
// be 0 outside training.
func (l *LayerNorm) Add(x, y *torch.Tensor, p float64) *torch.Tensor {
	return x.AddNorm(y, l.W, l.B, p, l.Eps)
}

// Forward returns the layer norm of x.
func (l *LayerNorm) Forward(x *torch.Tensor) *torch.Tensor { return x.LayerNorm(l.W, l.B, l.Eps) }

// LSTM is one layer, in one or both directions. All weights ~ U(-1/sqrt(h), 1/sqrt(h)), as in
// torch.nn.LSTM.
type LSTM struct {
	Weights []*torch.Tensor
	Hidden  int // hidden units per direction
}

// NewLSTM adds an LSTM with the given numbers of input features and of hidden units per direction.
func NewLSTM(p *Params, name string, in, hidden int, bidirectional bool) *LSTM {
	l := &LSTM{Hidden: hidden}
	bound := 1 / math.Sqrt(float64(hidden))
	suffixes := []string{""}
	if bidirectional {
		suffixes = append(suffixes, "_reverse")
	}
	h4 := int64(4 * hidden)
	for _, s := range suffixes {
		l.Weights = append(l.Weights,
			p.Add(name+".weight_ih_l0"+s, torch.Uniform(-bound, bound, h4, int64(in))),
			p.Add(name+".weight_hh_l0"+s, torch.Uniform(-bound, bound, h4, int64(hidden))),
			p.Add(name+".bias_ih_l0"+s, torch.Uniform(-bound, bound, h4)),
			p.Add(name+".bias_hh_l0"+s, torch.Uniform(-bound, bound, h4)))
	}
	return l
}

// Out returns the width of a state: Hidden, or twice that if the LSTM is bidirectional.
func (l *LSTM) Out() int { return l.Hidden * len(l.Weights) / 4 }

// Forward maps x [B, T, in] to all states [B, T, Out] and the last states [B, Out]. If there are
// two directions, their last states are concatenated.
func (l *LSTM) Forward(x *torch.Tensor) (states, last *torch.Tensor) {
	states, final := torch.LSTM(x, l.Weights)
	return states, l.join(final)
}

// Last returns only the last states that Forward returns. It does less work than Forward.
func (l *LSTM) Last(x *torch.Tensor) *torch.Tensor {
	return l.join(torch.LSTMLast(x, l.Weights))
}

// join maps [D, B, H] to [B, D*H].
func (l *LSTM) join(last *torch.Tensor) *torch.Tensor {
	return last.Transpose(0, 1).Reshape(last.Size(1), int64(l.Out()))
}
