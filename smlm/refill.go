package smlm

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Transfer rewrites every sentence into its target style d.Targets. The words of all positions are
// chosen at once.
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

// refiller is a Model whose vocabulary layer is packed for one transfer.
type refiller struct {
	*Model
	dec   Decoding
	words *torch.Packed
}

// transfer writes the outputs of a batch into out.
func (r *refiller) transfer(d corpus.Encoded, batch []int, out [][]int64) {
	if r.dec.copies() {
		r.refill(d, batch, out)
		return
	}
	ids := r.likeliest(d, batch, Objective{})
	n := len(d.IDs[batch[0]])
	for k, i := range batch {
		out[i] = ids[k*n : (k+1)*n : (k+1)*n]
	}
}

// The method likeliest returns the likeliest word in the target style d.Targets, for each position
// that the objective o selects.
func (r *refiller) likeliest(d corpus.Encoded, batch []int, o Objective) (ids []int64) {
	f := r.Config.codes()
	rows := f.targets(d, batch, o).rows
	if len(rows) == 0 {
		return nil
	}
	var states *torch.Tensor
	torch.Autocast(r.dec.BF16, func() { states = r.enc.rows(f.inputs(d, batch, d.Targets), rows, false) })
	n := int64(len(rows))
	for _, row := range r.words.Likeliest(states, make([]int64, n), n, r.Config.firstWord(), 1, false) {
		ids = append(ids, int64(row[1]))
	}
	return ids
}

// refill chooses words for the masked positions and copies the unmasked words.
func (r *refiller) refill(d corpus.Encoded, batch []int, out [][]int64) {
	ids := r.likeliest(d, batch, Objective{Loss: recipe.Masked})
	for _, i := range batch {
		out[i] = slices.Clone(d.IDs[i])
		for k, on := range d.Masks[i] {
			if on {
				out[i][k], ids = ids[0], ids[1:]
			}
		}
	}
}

// maxFills is the maximum number of words proposed for a mask.
const maxFills = 8

// A Filler proposes words for masks.
type Filler struct {
	*Model
	words  *torch.Packed
	layers *nn.SpanEncoder
	bf16   bool
}

// WithFiller calls fn with a Filler of the model. The parameter masks is the approximate number of
// masks that are filled at a time; the weights are packed for this number.
func (m *Model) WithFiller(bf16 bool, masks int, fn func(*Filler) error) error {
	return torch.NoGrad(func() error {
		packing := Decoding{BF16: bf16}.packing(masks)
		layers := nn.NewSpanEncoder(m.enc.layers, packing)
		return fn(&Filler{Model: m, words: torch.Pack(m.out.W, m.out.B, packing), layers: layers, bf16: bf16})
	})
}

// Fills returns, for every mask of every sentence in order, at most maxFills candidate words. The
// likeliest in the target style d.Targets come first.
func (f *Filler) Fills(ctx context.Context, d corpus.Encoded) ([][][]guided.Fill, error) {
	codes := f.Config.codes()
	out := make([][][]guided.Fill, len(d.IDs))
	var masked []int // indices of the sentences that have a mask
	var inputs [][]int64
	for i, words := range d.IDs {
		if slices.Contains(d.Masks[i], true) {
			masked = append(masked, i)
			inputs = append(inputs, codes.input(words, d.Masks[i], d.Styles[i], d.Targets[i]))
		}
	}
	err := nn.ForStretches(ctx, inputs, tokensAtOnce, func(from int, part [][]int64) error {
		sentences := masked[from : from+len(part)]
		var rows []int64 // row numbers of the masks of these sentences
		first := 0
		for k, i := range sentences {
			for position, on := range d.Masks[i] {
				if on {
					rows = append(rows, int64(first+position))
				}
			}
			first += len(part[k])
		}
		fills := f.likeliest(f.states(part, rows), len(rows))
		for _, i := range sentences {
			for _, on := range d.Masks[i] {
				if on {
					out[i], fills = append(out[i], fills[0]), fills[1:]
				}
			}
		}
		return nil
	})
	return out, err
}

// tokensAtOnce limits the tokens that go through the encoder together. With more tokens, the output
// of a layer would not stay in a core's cache.
const tokensAtOnce = 1500

// states returns the states [K, d] of the given rows of inputs. The last states belong to the
// padding that roundedUp adds.
func (f *Filler) states(inputs [][]int64, rows []int64) (h *torch.Tensor) {
	torch.Autocast(f.bf16, func() { h = f.enc.spans(f.layers, inputs, roundedUp(rows)) })
	return h
}

// The method likeliest returns the candidate words at the first n states.
func (f *Filler) likeliest(h *torch.Tensor, n int) [][]guided.Fill {
	k := min(maxFills, f.Config.Vocab-int(f.Config.firstWord()))
	rows := h.Size(0)
	fills := make([][]guided.Fill, n)
	for i, row := range f.words.Likeliest(h, make([]int64, rows), rows, f.Config.firstWord(), int64(k), true)[:n] {
		for j := range k {
			fills[i] = append(fills[i], guided.Fill{ID: int64(row[k+j]), LogQ: float64(row[j])})
		}
	}
	return fills
}

// roundedUp pads a slice with copies of its first item, so that only a few lengths occur. The slice
// gets at most 3 % longer. This saves memory: oneDNN compiles a matrix product for each number of
// rows and keeps the compiled code, and many compiled products would fragment the memory that a
// transfer frees.
func roundedUp[T any](values []T) []T {
	step := 1
	for len(values) > 32*step {
		step *= 2
	}
	return append(slices.Clip(values), slices.Repeat(values[:1], (step-len(values)%step)%step)...)
}
