package smlm

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Transfer returns every sentence with the opposite style asked for, all positions chosen at once: as many words as the source has,
// unless dec.Special is on without dec.Copy.
func (m *Model) Transfer(ctx context.Context, d Data, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	var err error
	torch.Autocast(dec.BF16, func() {
		err = nn.ForEach(ctx, d.IDs, func(batch []int) error {
			m.transfer(d, batch, dec, out)
			return nil
		})
	})
	return out, err
}

// transfer writes the outputs of a batch.
func (m *Model) transfer(d Data, batch []int, dec Decoding, out [][]int64) {
	switch {
	case dec.Copy:
		m.refill(d, batch, dec.Special, out)
	case dec.Special:
		m.free(d, batch, out)
	default:
		ids := word(m.logits(d, batch, Objective{}))
		n := len(d.IDs[batch[0]])
		for k, i := range batch {
			out[i] = ids[k*n : (k+1)*n : (k+1)*n]
		}
	}
}

// logits returns those of the positions that o counts [K, V], with the opposite style asked for.
func (m *Model) logits(d Data, batch []int, o Objective) *torch.Tensor {
	f := m.Config.Frame
	rows, _ := f.targets(d, batch, other, o)
	return m.Logits(m.enc.forward(f.inputs(d, batch, other), false), ints(rows))
}

// refill chooses words where the mask is and keeps the others.
func (m *Model) refill(d Data, batch []int, special bool, out [][]int64) {
	masks := 0
	for _, i := range batch {
		out[i] = slices.Clone(d.IDs[i])
		for _, on := range d.Masks[i] {
			if on {
				masks++
			}
		}
	}
	if masks == 0 {
		return
	}
	logits := m.logits(d, batch, Objective{MaskedOnly: true})
	var ids []int64
	if special {
		ids = anyButEos(logits)
	} else {
		ids = word(logits)
	}
	for _, i := range batch {
		for k, on := range d.Masks[i] {
			if on {
				out[i][k], ids = ids[0], ids[1:]
			}
		}
	}
}

// free writes the likeliest token at every position after <s_cls>, up to the first <eos>.
func (m *Model) free(d Data, batch []int, out [][]int64) {
	ids := m.logits(d, batch, Objective{Codes: true}).Argmax(1).Ints()
	width := len(ids) / len(batch)
	for k, i := range batch {
		row := ids[k*width+int(m.Config.Frame.front()) : (k+1)*width]
		if end := slices.Index(row, corpus.EosID); end >= 0 {
			row = row[:end]
		}
		if len(row) == 0 {
			row = []int64{corpus.MaskID}
		}
		out[i] = slices.Clip(row)
	}
}

// word returns the likeliest ordinary word of logits [K, V]: no special token.
func word(logits *torch.Tensor) []int64 {
	ids := logits.Narrow(1, corpus.NumSpecial, logits.Size(1)-corpus.NumSpecial).Argmax(1).Ints()
	for i := range ids {
		ids[i] += corpus.NumSpecial
	}
	return ids
}

// anyButEos returns the likeliest token that does not end the sentence.
func anyButEos(logits *torch.Tensor) []int64 {
	after := int64(corpus.EosID) + 1
	ids := torch.Cat(1, logits.Narrow(1, 0, corpus.EosID), logits.Narrow(1, after, logits.Size(1)-after)).Argmax(1).Ints()
	for i, id := range ids {
		if id >= corpus.EosID {
			ids[i]++
		}
	}
	return ids
}
