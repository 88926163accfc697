package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// word returns the likeliest ordinary word of logits [K, V]: special tokens are never written.
func word(logits *torch.Tensor) []int64 {
	n := int64(corpus.NumSpecial)
	ids := logits.Narrow(1, n, logits.Size(1)-n).Argmax(1).Ints()
	for i := range ids {
		ids[i] += n
	}
	return ids
}

// Transfer returns, for every sentence, the likeliest word at every position with the opposite style asked for: as many words as
// the source has. The caller decides what to keep of the unmasked ones.
func (m *Model) Transfer(ctx context.Context, d Data) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		rows, _ := d.targets(batch, false)
		ids := word(m.Logits(m.States(d.inputs(batch, other), false), ints(rows)))
		t := len(d.IDs[batch[0]])
		for k, i := range batch {
			out[i] = ids[k*t : (k+1)*t : (k+1)*t]
		}
		return nil
	})
	return out, err
}

// Transfer decodes greedily until <eos> or maxExtra words more than the source has.
func (g *Generator) Transfer(ctx context.Context, d Data, maxExtra int) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		memory := g.enc.forward(d.inputs(batch, other), false)
		words := make([][]int64, len(batch))
		ended := make([]bool, len(batch))
		for step, left := 0, len(batch); left > 0 && step < len(d.IDs[batch[0]])+maxExtra; step++ {
			next, err := g.next(words, memory)
			if err != nil {
				return err
			}
			for k, id := range next {
				words[k] = append(words[k], id)
				if !ended[k] && id == corpus.EosID {
					ended[k] = true
					left--
				}
			}
		}
		for k, i := range batch {
			out[i] = untilEos(words[k])
		}
		return nil
	})
	return out, err
}

// next returns the likeliest continuation of every row; of the special tokens only <eos> can be one, and not as the first: an
// output has at least one word.
func (g *Generator) next(words [][]int64, memory *torch.Tensor) (ids []int64, err error) {
	err = torch.Scoped(func() error {
		flat := []int64{}
		for _, row := range words {
			flat = append(append(flat, corpus.BosID), row...)
		}
		t := int64(len(words[0]) + 1)
		states := g.decode(torch.FromInts(flat, int64(len(words)), t), memory, false)
		logits := g.out.Forward(states.Select(1, t-1)) // [B, V]
		if t == 1 {
			ids = word(logits)
			return nil
		}
		first := int64(corpus.EosID)
		v := logits.Size(1)
		allowed := torch.Cat(1, logits.Narrow(1, first, 1), logits.Narrow(1, corpus.NumSpecial, v-corpus.NumSpecial))
		ids = allowed.Argmax(1).Ints()
		for i, id := range ids {
			if id == 0 {
				ids[i] = first
			} else {
				ids[i] = id - 1 + corpus.NumSpecial
			}
		}
		return nil
	})
	return ids, err
}

func untilEos(ids []int64) []int64 {
	for i, id := range ids {
		if id == corpus.EosID {
			return ids[:i]
		}
	}
	return ids
}
