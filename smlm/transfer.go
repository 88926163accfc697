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
		ids := m.choose(d, batch, Objective{}, corpus.NumSpecial, none)
		n := len(d.IDs[batch[0]])
		for k, i := range batch {
			out[i] = ids[k*n : (k+1)*n : (k+1)*n]
		}
	}
}

const none = -1

// choose returns the likeliest tokens at the positions that o counts, with the opposite style asked for: of those from first on, but one.
func (m *Model) choose(d Data, batch []int, o Objective, first, but int64) []int64 {
	f := m.Config.Frame
	states := m.enc.rows(f.inputs(d, batch, other), f.counted(d, batch, other, o).rows, false)
	return torch.VocabArgmax(states, m.out.W, m.out.B, first, but).Ints()
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
	first, but := int64(corpus.NumSpecial), int64(none)
	if special {
		first, but = 0, corpus.EosID
	}
	ids := m.choose(d, batch, Objective{MaskedOnly: true}, first, but)
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
	ids := m.choose(d, batch, Objective{Codes: true}, 0, none)
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
