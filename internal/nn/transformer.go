package nn

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Attention is multi-head attention (Vaswani et al. 2017, section 3.2.2) without a padding mask: batches hold
// sentences of one length. Initialised as torch.nn.MultiheadAttention.
type Attention struct {
	InW, InB *torch.Tensor // [3d, d], [3d]: query, key, value
	Out      *Linear
	Heads    int64
}

// NewAttention adds attention over dim features.
func NewAttention(p *Params, name string, dim, heads int) *Attention {
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
	b, t, d := x.Size(0), x.Size(1), x.Size(2)
	qkv := x.Linear(a.InW, a.InB) // [B, T, 3d], one product for all three
	q, k, v := qkv.Narrow(2, 0, d), qkv.Narrow(2, d, d), qkv.Narrow(2, 2*d, d)
	return a.attend(a.split(q, b, t, d), a.split(k, b, t, d), a.split(v, b, t, d), b, t, d, causal, dropout)
}

// Cross attends from x [B, T, d] to memory [B, S, d].
func (a *Attention) Cross(x, memory *torch.Tensor, dropout float64) *torch.Tensor {
	b, t, d := x.Size(0), x.Size(1), x.Size(2)
	s := memory.Size(1)
	q := x.Linear(a.InW.Narrow(0, 0, d), a.InB.Narrow(0, 0, d))
	kv := memory.Linear(a.InW.Narrow(0, d, 2*d), a.InB.Narrow(0, d, 2*d))
	k, v := kv.Narrow(2, 0, d), kv.Narrow(2, d, d)
	return a.attend(a.split(q, b, t, d), a.split(k, b, s, d), a.split(v, b, s, d), b, t, d, false, dropout)
}

// split maps [B, T, d] to [B, H, T, d/H].
func (a *Attention) split(x *torch.Tensor, b, t, d int64) *torch.Tensor {
	return x.Reshape(b, t, a.Heads, d/a.Heads).Transpose(1, 2)
}

func (a *Attention) attend(q, k, v *torch.Tensor, b, t, d int64, causal bool, dropout float64) *torch.Tensor {
	y := torch.Attention(q, k, v, dropout, causal)
	return a.Out.Forward(y.Transpose(1, 2).Reshape(b, t, d))
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
		Attn: NewAttention(p, name+".self_attn", dim, heads), In: NewLinear(p, name+".linear1", dim, ff),
		Out: NewLinear(p, name+".linear2", ff, dim), Norm1: NewLayerNorm(p, name+".norm1", dim),
		Norm2: NewLayerNorm(p, name+".norm2", dim), Dropout: dropout,
	}
}

// Forward keeps the shape [B, T, d].
func (l *EncoderLayer) Forward(x *torch.Tensor, train bool) *torch.Tensor {
	p := trainP(l.Dropout, train)
	x = l.Norm1.Forward(x.Add(l.Attn.Self(x, false, p).Dropout(p, train)))
	return l.Norm2.Forward(x.Add(feedForward(l.In, l.Out, x, p, train)))
}

// DecoderLayer is torch.nn.TransformerDecoderLayer: causal self-attention, attention to the encoder, feed-forward.
type DecoderLayer struct {
	Attn, CrossAttn     *Attention
	In, Out             *Linear
	Norm1, Norm2, Norm3 *LayerNorm
	Dropout             float64
}

// NewDecoderLayer adds one layer of dim features, heads heads and a feed-forward width of ff.
func NewDecoderLayer(p *Params, name string, dim, heads, ff int, dropout float64) *DecoderLayer {
	return &DecoderLayer{
		Attn: NewAttention(p, name+".self_attn", dim, heads), CrossAttn: NewAttention(p, name+".multihead_attn", dim, heads),
		In: NewLinear(p, name+".linear1", dim, ff), Out: NewLinear(p, name+".linear2", ff, dim),
		Norm1: NewLayerNorm(p, name+".norm1", dim), Norm2: NewLayerNorm(p, name+".norm2", dim),
		Norm3: NewLayerNorm(p, name+".norm3", dim), Dropout: dropout,
	}
}

// Forward maps x [B, T, d] and memory [B, S, d] to [B, T, d].
func (l *DecoderLayer) Forward(x, memory *torch.Tensor, train bool) *torch.Tensor {
	p := trainP(l.Dropout, train)
	x = l.Norm1.Forward(x.Add(l.Attn.Self(x, true, p).Dropout(p, train)))
	x = l.Norm2.Forward(x.Add(l.CrossAttn.Cross(x, memory, p).Dropout(p, train)))
	return l.Norm3.Forward(x.Add(feedForward(l.In, l.Out, x, p, train)))
}

func feedForward(in, out *Linear, x *torch.Tensor, p float64, train bool) *torch.Tensor {
	return out.Forward(in.Forward(x).Relu().Dropout(p, train)).Dropout(p, train)
}

func trainP(p float64, train bool) float64 {
	if train {
		return p
	}
	return 0
}

// Positions returns the sinusoidal encoding [1, T, d] (Vaswani et al. 2017, section 3.5).
func Positions(t, d int64) *torch.Tensor {
	table := make([]float32, t*d)
	for pos := int64(0); pos < t; pos++ {
		for i := int64(0); i < d; i += 2 {
			angle := float64(pos) / math.Pow(10000, float64(i)/float64(d))
			table[pos*d+i] = float32(math.Sin(angle))
			if i+1 < d {
				table[pos*d+i+1] = float32(math.Cos(angle))
			}
		}
	}
	return torch.FromFloats(table, 1, t, d)
}
