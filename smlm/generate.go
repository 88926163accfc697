package smlm

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

const (
	// searchSlots bounds the positions whose keys and values a search keeps, in each layer: at 512
	// features 64 MiB.
	searchSlots = 16384
	// packFrom is how many hypotheses make it worth while to lay out the decoder's weights for the
	// search: that takes as long as what it saves in a search over some thirty sentences.
	packFrom = 32
	// packRows is the rows that weights are laid out for; oneDNN's order is the same from 16 rows
	// on.
	packRows = 256
)

// packing says how to lay weights out for a search over so many hypotheses.
func (dec Decoding) packing(hypotheses int) torch.Packing {
	how := torch.Packing{BF16: dec.BF16}
	if hypotheses >= packFrom {
		how.Rows = packRows
	}
	return how
}

// Transfer returns every sentence with the opposite style asked for, by beam search: at least one
// word, at most dec.MaxExtra more than the source has or, where words are copied, exactly as many;
// of the special tokens only <eos> can be chosen, which is not returned.
func (g *Generator) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := g.outputs(ctx, d, dec, func(i int, b *beam) { out[i] = b.best.words })
	return out, err
}

// outputs calls found with every sentence's search, which is done: with its output and, of beams,
// its log p, that of words which needed no model left out.
func (g *Generator) outputs(ctx context.Context, d corpus.Encoded, dec Decoding, found func(i int, done *beam)) error {
	beams := map[int]*beam{} // of the sentences that need the model
	for i := range d.IDs {
		b := newBeam(d.IDs[i], d.Masks[i], dec)
		if b.skip(); b.done() {
			found(i, b)
		} else {
			beams[i] = b
		}
	}
	if len(beams) == 0 {
		return ctx.Err()
	}
	return torch.NoGrad(func() error {
		w := g.writer(beams, dec)
		for _, group := range together(d, beams) {
			if err := torch.Scoped(func() error { return w.search(ctx, d, group, beams) }); err != nil {
				return err
			}
			for _, i := range slices.Concat(group...) {
				found(i, beams[i])
				delete(beams, i) // with the words of all its hypotheses
			}
		}
		return nil
	})
}

// writer is a Generator made ready for searches.
type writer struct {
	*Generator
	dec       Decoding
	decoder   *nn.IncrementalDecoder
	words     *torch.Packed
	positions *torch.Tensor // [T, d], of as many positions as any beam may reach
}

// writer lays out what all searches of a Transfer need, in the innermost scope.
func (g *Generator) writer(beams map[int]*beam, dec Decoding) *writer {
	longest, hypotheses := 0, 0
	for _, b := range beams {
		longest, hypotheses = max(longest, b.limit), hypotheses+b.dec.Beam
	}
	how := dec.packing(hypotheses)
	d := int64(g.Config.Dim)
	return &writer{
		Generator: g, dec: dec, decoder: nn.NewIncrementalDecoder(g.layers, how),
		words:     torch.Pack(g.out.W, g.out.B, how),
		positions: g.enc.positions.Table(longest+1, int(d)).Reshape(-1, d),
	}
}

// slots is how many positions a beam's hypotheses may come to.
func (b *beam) slots() int { return b.dec.Beam * (b.limit + 1) }

// together puts sentences that are to be searched at once in groups, each of batches of equal
// length for the encoder. The decoder's hypotheses need not be of one length, so that groups may be
// large although few sentences have the same length.
func together(d corpus.Encoded, beams map[int]*beam) (groups [][][]int) {
	var group [][]int
	slots := 0
	for _, batch := range nn.Sorted(lengths(d), nn.EvalTokens) {
		batch = slices.DeleteFunc(batch, func(i int) bool { return beams[i] == nil })
		if len(batch) == 0 {
			continue
		}
		from := 0
		for k, i := range batch {
			n := beams[i].slots()
			if slots > 0 && slots+n > searchSlots {
				if k > from {
					group = append(group, batch[from:k])
				}
				groups = append(groups, group)
				group, slots, from = nil, 0, k
			}
			slots += n
		}
		group = append(group, batch[from:])
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups
}
