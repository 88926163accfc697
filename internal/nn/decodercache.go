package nn

import "github.com/smlm-exp/smlm-exp/internal/torch"

// IncrementalDecoder is decoder layers ready to go on from what they computed before, instead of
// going through whole sentences again. Make another one after a change of the layers' weights.
type IncrementalDecoder struct{ layers []incrementalLayer }

type incrementalLayer struct {
	self, cross         incrementalAttention
	in, out             *torch.Packed
	norm1, norm2, norm3 *LayerNorm
}

type incrementalAttention struct {
	query, keysValues, out *torch.Packed
	heads                  int64
}

// NewIncrementalDecoder lays out the layers' weights; they belong to the innermost scope.
func NewIncrementalDecoder(layers []*DecoderLayer, how torch.Packing) *IncrementalDecoder {
	linear := func(l *Linear) *torch.Packed { return torch.Pack(l.W, l.B, how) }
	attention := func(a *Attention) incrementalAttention {
		d := a.InW.Size(1)
		rows := func(from, n int64) *torch.Packed {
			return torch.Pack(a.InW.Narrow(0, from, n), a.InB.Narrow(0, from, n), how)
		}
		return incrementalAttention{query: rows(0, d), keysValues: rows(d, 2*d), out: linear(a.Out), heads: a.Heads}
	}
	dec := &IncrementalDecoder{}
	for _, l := range layers {
		dec.layers = append(dec.layers, incrementalLayer{
			self: attention(l.Attn), cross: attention(l.CrossAttn), in: linear(l.In), out: linear(l.Out),
			norm1: l.Norm1, norm2: l.Norm2, norm3: l.Norm3,
		})
	}
	return dec
}

// DecoderCache holds what an IncrementalDecoder keeps for some sentences: for each layer the keys
// and values of the encoder's states, computed once, and those of every position decoded so far. A
// position is never moved: hypotheses name the slots of the positions they are made of, and those
// of one parent share its slots.
type DecoderCache struct {
	dec         *IncrementalDecoder
	self, cross []*torch.Tensor // [capacity, 2d] and [M, 2d]: keys, then values
	used        int
}

// Cache returns an empty cache for capacity positions over the encoder's states [M, d] of all
// sentences, one after the other. It belongs to the innermost scope.
func (dec *IncrementalDecoder) Cache(memory *torch.Tensor, capacity int) *DecoderCache {
	c := &DecoderCache{dec: dec}
	for _, l := range dec.layers {
		c.self = append(c.self, memory.EmptyRows(int64(capacity), 2*memory.Size(1)))
		c.cross = append(c.cross, l.cross.keysValues.Forward(memory))
	}
	return c
}

// Used returns how many positions the cache holds; the next one gets this slot.
func (c *DecoderCache) Used() int { return c.used }

// Forward decodes x [N, d], the vectors of N further positions, which get the next N slots.
// Position i attends to the slots that self names for it, its own among them, and to the encoder's
// states that cross names. It returns the states [K, d] of the positions in want; of the others
// only what later positions need is computed.
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
	return a.out.Forward(torch.Attend(a.query.Forward(x), keysValues, a.heads, s))
}

func pick(s torch.Spans, rows []int64) torch.Spans {
	out := torch.Spans{Slots: s.Slots}
	for _, i := range rows {
		out.Start, out.Length = append(out.Start, s.Start[i]), append(out.Length, s.Length[i])
	}
	return out
}
