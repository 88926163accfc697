package smlm

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Transfer returns every sentence with the opposite style asked for, all positions chosen at once:
// as many words as the source has, unless dec.WriteSpecial is on without copied words.
func (m *Model) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := torch.NoGrad(func() error {
		r := &refiller{Model: m, dec: dec, words: torch.Pack(m.out.W, m.out.B, dec.packing(len(d.IDs)))}
		return nn.ForEach(ctx, d.IDs, func(batch []int) error {
			r.transfer(d, batch, out)
			return nil
		})
	})
	return out, err
}

// refiller is a Model made ready for transfer.
type refiller struct {
	*Model
	dec   Decoding
	words *torch.Packed
}

// transfer writes the outputs of a batch.
func (r *refiller) transfer(d corpus.Encoded, batch []int, out [][]int64) {
	switch {
	case r.dec.copies():
		r.refill(d, batch, out)
	case r.dec.WriteSpecial:
		r.free(d, batch, out)
	default:
		ids := r.likeliest(d, batch, Objective{}, firstWord)
		n := len(d.IDs[batch[0]])
		for k, i := range batch {
			out[i] = ids[k*n : (k+1)*n : (k+1)*n]
		}
	}
}

// likeliest returns the likeliest token from first on of each position that o counts, with the
// opposite style asked for; but never <eos> where words are copied.
func (r *refiller) likeliest(d corpus.Encoded, batch []int, o Objective, first int64) []int64 {
	f := r.Config.codes()
	rows := f.targets(d, batch, other, o).rows
	if len(rows) == 0 {
		return nil
	}
	var states *torch.Tensor
	torch.Autocast(r.dec.BF16, func() { states = r.enc.rows(f.inputs(d, batch, other), rows, false) })
	k := int64(1)
	if first == 0 && r.dec.copies() {
		k = 2 // <eos> and another
	}
	ids := make([]int64, len(rows))
	for i, row := range r.words.Likeliest(states, make([]int64, len(rows)), int64(len(rows)), first, k, false) {
		if ids[i] = int64(row[k]); k == 2 && ids[i] == corpus.EosID {
			ids[i] = int64(row[3])
		}
	}
	return ids
}

// refill chooses words where the mask is and keeps the others.
func (r *refiller) refill(d corpus.Encoded, batch []int, out [][]int64) {
	first := int64(firstWord)
	if r.dec.WriteSpecial {
		first = 0
	}
	ids := r.likeliest(d, batch, Objective{Loss: recipe.Masked}, first)
	for _, i := range batch {
		out[i] = slices.Clone(d.IDs[i])
		for k, on := range d.Masks[i] {
			if on {
				out[i][k], ids = ids[0], ids[1:]
			}
		}
	}
}

// free writes the likeliest token at every position after <s_cls>, up to the first <eos>.
func (r *refiller) free(d corpus.Encoded, batch []int, out [][]int64) {
	ids := r.likeliest(d, batch, Objective{Loss: recipe.Positions}, 0)
	width := len(ids) / len(batch)
	for k, i := range batch {
		row := ids[k*width+int(r.Config.codes().front()) : (k+1)*width]
		if end := slices.Index(row, corpus.EosID); end >= 0 {
			row = row[:end]
		}
		if len(row) == 0 {
			row = []int64{corpus.MaskID}
		}
		out[i] = slices.Clip(row)
	}
}
