package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// mostFills bounds the words of a place.
const mostFills = 32

// A Filler proposes words for masks.
type Filler struct {
	*Model
	words *torch.Packed
	bf16  bool
}

// Refilling calls fn with the model made ready to propose words for about so many masks at a time.
func (m *Model) Refilling(bf16 bool, masks int, fn func(*Filler) error) error {
	return torch.NoGrad(func() error {
		dec := Decoding{BF16: bf16}
		return fn(&Filler{Model: m, words: torch.Pack(m.out.W, m.out.B, dec.packing(masks)), bf16: bf16})
	})
}

// Fills returns, for every masked word of every sentence in order, the words that may stand there,
// the likeliest in the opposite style first and at most mostFills of them, and with own what the
// model thinks of each where the sentence's own style is asked for.
func (f *Filler) Fills(ctx context.Context, s guided.Sentences, own bool) ([][][]guided.Fill, error) {
	d := dataOf(s)
	out := make([][][]guided.Fill, len(d.IDs))
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		f.fills(d, batch, own, out)
		return nil
	})
	return out, err
}

func (f *Filler) fills(d Data, batch []int, own bool, out [][][]guided.Fill) {
	codes := f.Config.ControlCodes
	rows := codes.targets(d, batch, other, Objective{Loss: recipe.Masked}).rows
	if len(rows) == 0 {
		return
	}
	states := func(to dest) (h *torch.Tensor) {
		torch.Autocast(f.bf16, func() { h = f.enc.rows(codes.inputs(d, batch, to), rows, false) })
		return h
	}
	k := min(mostFills, f.Config.Vocab-firstWord)
	n := int64(len(rows))
	asked := f.words.Likeliest(states(other), make([]int64, n), n, firstWord, int64(k), true)
	fills := make([][]guided.Fill, len(rows))
	var ids []int64
	for i, row := range asked {
		for j := range k {
			id := int64(row[k+j])
			fills[i], ids = append(fills[i], guided.Fill{ID: id, Asked: float64(row[j])}), append(ids, id)
		}
	}
	if own {
		for i, logit := range f.logits(states(same), ids, int64(k)) {
			fills[i/k][i%k].Own = float64(logit)
		}
	}
	for _, i := range batch {
		for _, on := range d.Masks[i] {
			if on {
				out[i], fills = append(out[i], fills[0]), fills[1:]
			}
		}
	}
}

// logits returns those of k words of each of the states [K, d], [K*k].
func (f *Filler) logits(states *torch.Tensor, ids []int64, k int64) []float32 {
	rows, d := states.Size(0), states.Size(1)
	at := ints(ids)
	w := f.out.W.Rows(at).Reshape(rows, k, d)
	products := w.MatMul(states.To(torch.Float).Reshape(rows, d, 1)).Reshape(rows * k)
	return products.Add(f.out.B.Rows(at)).Floats()
}
