package nn

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Attention is multi-head attention (Vaswani et al. 2017, section 3.2.2). Each batch holds
// sentences of equal length, so no padding mask is needed. The weights are initialised as in
// torch.nn.MultiheadAttention.
type Attention struct {
	InW, InB *torch.Tensor // [3d, d] and [3d], in the order query, key, value
	Out      *Linear
	Heads    int64
}

// newAttention adds the parameters of attention over dim features to p.
func newAttention(p *Params, name string, dim, heads int) *Attention {
	d := int64(dim)
	bound := math.Sqrt(6 / float64(dim+3*dim)) // xavier_uniform for the joint matrix [3d, d]
	a := &Attention{Heads: int64(heads)}
	a.InW = p.Add(name+".in_proj_weight", torch.Uniform(-bound, bound, 3*d, d))
	a.InB = p.Add(name+".in_proj_bias", torch.Zeros(3*d))
	a.Out = NewLinear(p, name+".out_proj", dim, dim)
	a.Out.B.Set(torch.Zeros(d))
	return a
}

// Self returns the result [B, T, d] of self-attention over x [B, T, d]. If causal is set, a
// position does not attend to later positions.
func (a *Attention) Self(x *torch.Tensor, causal bool, dropout float64) *torch.Tensor {
	return a.Out.Forward(a.heads(x, causal, dropout))
}

// heads returns the concatenated outputs [B, T, d] of all heads of Self.
func (a *Attention) heads(x *torch.Tensor, causal bool, dropout float64) *torch.Tensor {
	return torch.SelfAttention(x.Linear(a.InW, a.InB), a.Heads, causal, dropout) // one product for query, key and value
}

// Cross returns the result [B, T, d] of attention from x [B, T, d] to memory [B, S, d].
func (a *Attention) Cross(x, memory *torch.Tensor, dropout float64) *torch.Tensor {
	return a.Out.Forward(a.crossHeads(x, memory, dropout))
}

// crossHeads returns the concatenated outputs [B, T, d] of all heads of Cross.
func (a *Attention) crossHeads(x, memory *torch.Tensor, dropout float64) *torch.Tensor {
	d := x.Size(2)
	q := x.Linear(a.InW.Narrow(0, 0, d), a.InB.Narrow(0, 0, d))
	kv := memory.Linear(a.InW.Narrow(0, d, 2*d), a.InB.Narrow(0, d, 2*d))
	return torch.CrossAttention(q, kv, a.Heads, dropout)
}

// EncoderLayer is torch.nn.TransformerEncoderLayer with post-norm and ReLU. The layers of a
// pretrained encoder have GELU instead, and no dropout after it.
type EncoderLayer struct {
	Attn         *Attention
	In, Out      *Linear
	Norm1, Norm2 *LayerNorm
	Dropout      float64
	GELU         bool // set if the activation is GELU without dropout, not ReLU with dropout
}

// NewEncoderLayer adds one layer with the sizes in s. It ignores the field s.Layers.
func NewEncoderLayer(p *Params, name string, s recipe.SMLMShape, dropout float64) *EncoderLayer {
	return &EncoderLayer{
		Attn: newAttention(p, name+".self_attn", s.Dim, s.Heads), In: NewLinear(p, name+".linear1", s.Dim, s.FF),
		Out: NewLinear(p, name+".linear2", s.FF, s.Dim), Norm1: NewLayerNorm(p, name+".norm1", s.Dim),
		Norm2: NewLayerNorm(p, name+".norm2", s.Dim), Dropout: dropout,
	}
}

// NewPretrainedLayer adds one layer of a pretrained encoder.
func NewPretrainedLayer(
	p *Params, name string, s recipe.SMLMShape, pre recipe.PretrainedShape, dropout float64,
) *EncoderLayer {
	l := NewEncoderLayer(p, name, s, dropout)
	l.GELU, l.Norm1.Eps, l.Norm2.Eps = true, pre.Eps, pre.Eps
	return l
}

// Forward maps x [B, T, d] to [B, T, d].
func (l *EncoderLayer) Forward(x *torch.Tensor, train bool) *torch.Tensor {
	p := trainP(l.Dropout, train)
	return l.afterHeads(x, l.Attn.heads(x, false, p), p)
}

// ForwardRows reshapes the result of Forward to [B*T, d] and returns the rows [K, d] whose indices
// are in the tensor "rows". Everything after the attention is computed for these rows only.
func (l *EncoderLayer) ForwardRows(x, rows *torch.Tensor, train bool) *torch.Tensor {
	p, d := trainP(l.Dropout, train), x.Size(2)
	heads := l.Attn.heads(x, false, p)
	return l.afterHeads(x.Reshape(-1, d).Rows(rows), heads.Reshape(-1, d).Rows(rows), p)
}

// afterHeads computes the part of the layer that follows the attention heads.
func (l *EncoderLayer) afterHeads(x, heads *torch.Tensor, p float64) *torch.Tensor {
	x = l.Norm1.Add(x, l.Attn.Out.Forward(heads), p)
	if l.GELU {
		return l.Norm2.Add(x, l.Out.Forward(l.In.GELU(x)), p)
	}
	return l.Norm2.Add(x, feedForward(l.In, l.Out, x, p), p)
}

// DecoderLayer is torch.nn.TransformerDecoderLayer. It consists of causal self-attention, attention
// to the encoder, and a feed-forward network.
type DecoderLayer struct {
	Attn, CrossAttn     *Attention
	In, Out             *Linear
	Norm1, Norm2, Norm3 *LayerNorm
	Dropout             float64
}

// NewDecoderLayer adds one layer with the sizes in s. It ignores the field s.Layers.
func NewDecoderLayer(p *Params, name string, s recipe.SMLMShape, dropout float64) *DecoderLayer {
	return &DecoderLayer{
		Attn:      newAttention(p, name+".self_attn", s.Dim, s.Heads),
		CrossAttn: newAttention(p, name+".multihead_attn", s.Dim, s.Heads),
		In:        NewLinear(p, name+".linear1", s.Dim, s.FF), Out: NewLinear(p, name+".linear2", s.FF, s.Dim),
		Norm1: NewLayerNorm(p, name+".norm1", s.Dim), Norm2: NewLayerNorm(p, name+".norm2", s.Dim),
		Norm3: NewLayerNorm(p, name+".norm3", s.Dim), Dropout: dropout,
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

// Positions is the sinusoidal encoding (Vaswani et al. 2017, section 3.5), computed on demand. The
// zero value is ready to use.
type Positions struct {
	table  []float32 // encodings of the positions 0 to length-1, row-major
	length int
}

// Table returns the encoding [1, t, d] of the first t positions. d must be the same in all calls.
func (p *Positions) Table(t, d int) *torch.Tensor {
	for ; p.length < t; p.length++ {
		for i := range d {
			angle := float64(p.length) / math.Pow(10000, float64(i&^1)/float64(d))
			if i%2 == 0 {
				p.table = append(p.table, float32(math.Sin(angle)))
			} else {
				p.table = append(p.table, float32(math.Cos(angle)))
			}
		}
	}
	return torch.FromFloats(p.table[:t*d], 1, int64(t), int64(d))
}

// IncrementalDecoder applies decoder layers to new positions of a sentence without computing the
// earlier positions again. Make a new IncrementalDecoder when the layers' weights have changed.
type IncrementalDecoder struct{ layers []incrementalLayer }

type incrementalLayer struct {
	self, cross         incrementalAttention
	in, out             *torch.Packed
	norm1, norm2, norm3 *LayerNorm
}

type incrementalAttention struct {
	query, keysValues, out *torch.Packed
	heads                  int64
	bf16                   bool // if set, attention scores and weights are rounded to bfloat16
}

// NewIncrementalDecoder prepares the layers' weights for fast products (torch.Pack). The prepared
// weights are freed when the torch scope that is open now ends.
func NewIncrementalDecoder(layers []*DecoderLayer, packing torch.Packing) *IncrementalDecoder {
	dec := &IncrementalDecoder{}
	for _, l := range layers {
		dec.layers = append(dec.layers, incrementalLayer{
			self: newIncrementalAttention(l.Attn, packing), cross: newIncrementalAttention(l.CrossAttn, packing),
			in: l.In.packed(packing), out: l.Out.packed(packing), norm1: l.Norm1, norm2: l.Norm2, norm3: l.Norm3,
		})
	}
	return dec
}

func newIncrementalAttention(a *Attention, packing torch.Packing) incrementalAttention {
	d := a.InW.Size(1)
	rows := func(from, n int64) *torch.Packed {
		return torch.Pack(a.InW.Narrow(0, from, n), a.InB.Narrow(0, from, n), packing)
	}
	return incrementalAttention{query: rows(0, d), keysValues: rows(d, 2*d), out: a.Out.packed(packing), heads: a.Heads}
}

// SpanEncoder applies encoder layers to a batch of sentences of different lengths. It is not for
// training. Make a new SpanEncoder when the layers' weights have changed.
type SpanEncoder struct{ layers []spanLayer }

type spanLayer struct {
	attn         incrementalAttention
	in, out      *torch.Packed
	norm1, norm2 *LayerNorm
	gelu         bool
}

// NewSpanEncoder prepares the layers' weights for fast products (torch.Pack). The prepared weights
// are freed when the torch scope that is open now ends. In bfloat16, states equal those of
// EncoderLayer under Autocast, except in the last digit.
func NewSpanEncoder(layers []*EncoderLayer, packing torch.Packing) *SpanEncoder {
	e, unpacked := &SpanEncoder{}, packing
	if packing.BF16 { // with packed weights, oneDNN adds long sums in another order than EncoderLayer
		unpacked.Rows = 0
	}
	for _, l := range layers {
		attn := newIncrementalAttention(l.Attn, packing)
		attn.bf16 = packing.BF16
		e.layers = append(e.layers, spanLayer{
			attn, l.In.packed(packing), l.Out.packed(unpacked), l.Norm1, l.Norm2, l.GELU,
		})
	}
	return e
}

// Forward returns the states [K, d] of the tokens in want. Tokens are numbered over all sentences,
// in order. rows[i] is the row of "vectors" that holds the vector of token i. s lists, for each
// token, the tokens to which it attends, which are the tokens of its sentence. Keys and values of
// the first layer are computed once per vector. The last layer computes only the states in want.
func (e *SpanEncoder) Forward(vectors *torch.Tensor, rows []int64, s torch.Spans, want []int64) *torch.Tensor {
	x, last := vectors, len(e.layers)-1
	if last < 0 {
		return x.Rows(torch.FromInts(selectRows(rows, want), int64(len(want))))
	}
	s.Slots = make([]int32, len(rows))
	for i, row := range rows {
		s.Slots[i] = int32(row)
	}
	for i, l := range e.layers {
		keysValues := l.attn.keysValues.Forward(x)
		if i == last {
			s = pick(s, want)
		}
		switch {
		case i == 0 && i == last:
			x = x.Rows(torch.FromInts(selectRows(rows, want), int64(len(want))))
		case i == 0:
			x = x.Rows(torch.FromInts(rows, int64(len(rows))))
		case i == last:
			x = x.Rows(torch.FromInts(want, int64(len(want))))
		}
		x = l.norm1.Add(x, l.attn.attend(x, keysValues, s), 0)
		x = l.norm2.Add(x, l.out.Forward(l.feedIn(x)), 0)
		s.Slots = nil
	}
	return x
}

// selectRows returns rows[k] for each k in want.
func selectRows(rows, want []int64) []int64 {
	out := make([]int64, len(want))
	for i, k := range want {
		out[i] = rows[k]
	}
	return out
}

// feedIn returns the output of the first feed-forward layer, after its activation.
func (l *spanLayer) feedIn(x *torch.Tensor) *torch.Tensor {
	if l.gelu {
		return l.in.Forward(x).GELU()
	}
	return l.in.ForwardRelu(x)
}

// DecoderCache holds the keys and values of each layer of an IncrementalDecoder, both for the
// encoder's states and for the positions decoded so far. Each decoded position has a slot in the
// cache. A hypothesis is a list of the slots of its positions. Hypotheses with the same parent
// share the parent's slots.
type DecoderCache struct {
	dec         *IncrementalDecoder
	self, cross []*torch.Tensor // [capacity, 2d] and [M, 2d]; each row has the keys and then the values
	used        int
}

// Cache returns an empty cache for the given number of positions. memory [M, d] has the encoder's
// states of all sentences, one after the other. The cache is freed when the torch scope that is
// open now ends.
func (dec *IncrementalDecoder) Cache(memory *torch.Tensor, capacity int) *DecoderCache {
	c := &DecoderCache{dec: dec}
	for _, l := range dec.layers {
		c.self = append(c.self, memory.EmptyRows(int64(capacity), 2*memory.Size(1)))
		c.cross = append(c.cross, l.cross.keysValues.Forward(memory))
	}
	return c
}

// Used returns the number of positions in the cache. This is also the slot of the next position.
func (c *DecoderCache) Used() int { return c.used }

// Forward decodes N new positions, whose vectors are x [N, d], and puts them in the next N slots.
// For each position, self lists the slots to which the position attends, including its own, and
// cross lists the encoder's states to which the position attends, as rows of memory. Forward
// returns the states [K, d] of the positions in want. For all other positions, the last layer
// computes only keys and values.
func (c *DecoderCache) Forward(x *torch.Tensor, self, cross torch.Spans, want []int64) *torch.Tensor {
	n := x.Size(0)
	for i, l := range c.dec.layers {
		c.self[i].Narrow(0, int64(c.used), n).Set(l.self.keysValues.Forward(x))
		if i == len(c.dec.layers)-1 {
			x = x.Rows(torch.FromInts(want, int64(len(want))))
			self, cross = pick(self, want), pick(cross, want)
		}
		x = l.norm1.Add(x, l.self.attend(x, c.self[i], self), 0)
		x = l.norm2.Add(x, l.cross.attend(x, c.cross[i], cross), 0)
		x = l.norm3.Add(x, l.out.Forward(l.in.ForwardRelu(x)), 0)
	}
	c.used += int(n)
	return x
}

func (a incrementalAttention) attend(x, keysValues *torch.Tensor, s torch.Spans) *torch.Tensor {
	return a.out.Forward(torch.Attend(a.query.Forward(x), keysValues, a.heads, s, a.bf16))
}

func pick(s torch.Spans, rows []int64) torch.Spans {
	out := torch.Spans{Slots: s.Slots}
	for _, i := range rows {
		out.Start, out.Length = append(out.Start, s.Start[i]), append(out.Length, s.Length[i])
	}
	return out
}
