package nn

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Attention is multi-head attention (Vaswani et al. 2017, section 3.2.2) without a padding mask:
// batches hold sentences of one length. Initialised as torch.nn.MultiheadAttention.
type Attention struct {
	InW, InB *torch.Tensor // [3d, d], [3d]: query, key, value
	Out      *Linear
	Heads    int64
}

// newAttention adds attention over dim features.
func newAttention(p *Params, name string, dim, heads int) *Attention {
	d := int64(dim)
	bound := math.Sqrt(6 / float64(dim+3*dim)) // xavier_uniform over the joint matrix
	a := &Attention{Heads: int64(heads)}
	a.InW = p.Add(name+".in_proj_weight", torch.Uniform(-bound, bound, 3*d, d))
	a.InB = p.Add(name+".in_proj_bias", torch.Zeros(3*d))
	a.Out = NewLinear(p, name+".out_proj", dim, dim)
	a.Out.B.Set(torch.Zeros(d))
	return a
}

// Self attends from x to x [B, T, d]; causal hides later positions.
func (a *Attention) Self(x *torch.Tensor, causal bool, dropout float64) *torch.Tensor {
	return a.Out.Forward(a.heads(x, causal, dropout))
}

// heads returns what Self's heads found, side by side [B, T, d].
func (a *Attention) heads(x *torch.Tensor, causal bool, dropout float64) *torch.Tensor {
	return torch.SelfAttention(x.Linear(a.InW, a.InB), a.Heads, causal, dropout) // one product for all three
}

// Cross attends from x [B, T, d] to memory [B, S, d].
func (a *Attention) Cross(x, memory *torch.Tensor, dropout float64) *torch.Tensor {
	d := x.Size(2)
	q := x.Linear(a.InW.Narrow(0, 0, d), a.InB.Narrow(0, 0, d))
	kv := memory.Linear(a.InW.Narrow(0, d, 2*d), a.InB.Narrow(0, d, 2*d))
	return a.Out.Forward(torch.CrossAttention(q, kv, a.Heads, dropout))
}

// EncoderLayer is torch.nn.TransformerEncoderLayer: post-norm, ReLU.
type EncoderLayer struct {
	Attn         *Attention
	In, Out      *Linear
	Norm1, Norm2 *LayerNorm
	Dropout      float64
}

// NewEncoderLayer adds one layer of dim features, heads heads and a feed-forward width of ff.
func NewEncoderLayer(p *Params, name string, dim, heads, ff int, dropout float64) *EncoderLayer {
	return &EncoderLayer{
		Attn: newAttention(p, name+".self_attn", dim, heads), In: NewLinear(p, name+".linear1", dim, ff),
		Out: NewLinear(p, name+".linear2", ff, dim), Norm1: newLayerNorm(p, name+".norm1", dim),
		Norm2: newLayerNorm(p, name+".norm2", dim), Dropout: dropout,
	}
}

// Forward keeps the shape [B, T, d].
func (l *EncoderLayer) Forward(x *torch.Tensor, train bool) *torch.Tensor {
	p := trainP(l.Dropout, train)
	return l.rest(x, l.Attn.heads(x, false, p), p)
}

// ForwardRows returns only some rows of what Forward does, numbered as in [B*T, d]: [K, d]. What
// comes after the attention is not computed for the others.
func (l *EncoderLayer) ForwardRows(x, rows *torch.Tensor, train bool) *torch.Tensor {
	p, d := trainP(l.Dropout, train), x.Size(2)
	found := l.Attn.heads(x, false, p)
	return l.rest(x.Reshape(-1, d).Rows(rows), found.Reshape(-1, d).Rows(rows), p)
}

// rest is the layer after the heads of its attention.
func (l *EncoderLayer) rest(x, heads *torch.Tensor, p float64) *torch.Tensor {
	x = l.Norm1.Add(x, l.Attn.Out.Forward(heads), p)
	return l.Norm2.Add(x, feedForward(l.In, l.Out, x, p), p)
}

// DecoderLayer is torch.nn.TransformerDecoderLayer: causal self-attention, attention to the
// encoder, feed-forward.
type DecoderLayer struct {
	Attn, CrossAttn     *Attention
	In, Out             *Linear
	Norm1, Norm2, Norm3 *LayerNorm
	Dropout             float64
}

// NewDecoderLayer adds one layer of dim features, heads heads and a feed-forward width of ff.
func NewDecoderLayer(p *Params, name string, dim, heads, ff int, dropout float64) *DecoderLayer {
	return &DecoderLayer{
		Attn:      newAttention(p, name+".self_attn", dim, heads),
		CrossAttn: newAttention(p, name+".multihead_attn", dim, heads), In: NewLinear(p, name+".linear1", dim, ff),
		Out: NewLinear(p, name+".linear2", ff, dim), Norm1: newLayerNorm(p, name+".norm1", dim),
		Norm2: newLayerNorm(p, name+".norm2", dim), Norm3: newLayerNorm(p, name+".norm3", dim), Dropout: dropout,
	}
}

// Forward maps x [B, T, d] and memory [B, S, d] to [B, T, d].
func (l *DecoderLayer) Forward(x, memory *torch.Tensor, train bool) *torch.Tensor {
	p := trainP(l.Dropout, train)
	x = l.Norm1.Add(x, l.Attn.Self(x, true, p), p)
	x = l.Norm2.Add(x, l.CrossAttn.Cross(x, memory, p), p)
	return l.Norm3.Add(x, feedForward(l.In, l.Out, x, p), p)
}

func feedForward(in, out *Linear, x *torch.Tensor, p float64) *torch.Tensor {
	return out.Forward(x.LinearRelu(in.W, in.B, p))
}

func trainP(p float64, train bool) float64 {
	if train {
		return p
	}
	return 0
}
