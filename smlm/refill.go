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

// Transfer returns every sentence written in the style d.Asked, with all positions chosen at once.
// An output has as many words as its source, unless dec.WriteSpecial is on and no words are copied.
// With slots it has as many as there are slots where a word is masked, guided.Empty among them.
func (m *Model) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	d = withOpenSlots(d, m.Config.Slots)
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

// refiller is a Model whose vocabulary layer is laid out for one transfer.
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
		r.writeFreely(d, batch, out)
	default:
		ids, empty := r.likeliest(d, batch, Objective{}, r.Config.firstWord())
		n := len(d.IDs[batch[0]])
		for k, i := range batch {
			out[i] = ids[k*n : (k+1)*n : (k+1)*n]
			if empty != nil {
				writeEmpty(out[i], d.Masks[i], empty[k*n:(k+1)*n])
			}
		}
	}
}

// writeEmpty writes guided.Empty at the slots where it is likeliest, but for the first where that
// would leave no word.
func writeEmpty(out []int64, slots, empty []bool) {
	first, words := out[0], len(out)
	for k := range out {
		if slots[k] && empty[k] {
			out[k] = guided.Empty
			words--
		}
	}
	if words == 0 {
		out[0] = first
	}
}

// likeliest returns, for each position that o counts, the likeliest token from the id first on when
// the style d.Asked is asked for; where words are copied it is never <eos>. With slots it also
// tells where guided.Empty is likelier than that.
func (r *refiller) likeliest(
	d corpus.Encoded, batch []int, o Objective, first int64,
) (ids []int64, empty []bool) {
	f := r.Config.codes()
	rows := f.targets(d, batch, d.Asked, o).rows
	if len(rows) == 0 {
		return nil, nil
	}
	var states *torch.Tensor
	torch.Autocast(r.dec.BF16, func() { states = r.enc.rows(f.inputs(d, batch, d.Asked), rows, false) })
	k := int64(1)
	if first == 0 && r.dec.copies() {
		k = 2 // <eos> and another
	}
	ids = make([]int64, len(rows))
	wanted := slices.Repeat([]int64{emptyID}, len(rows))
	for i, row := range r.words.Likeliest(states, wanted, int64(len(rows)), first, k, false) {
		if ids[i] = int64(row[k]); k == 2 && ids[i] == corpus.EosID {
			ids[i] = int64(row[3])
		}
		if r.Config.Slots > 0 {
			empty = append(empty, row[2*k] > row[0])
		}
	}
	return ids, empty
}

// refill chooses words where masks are and keeps the others.
func (r *refiller) refill(d corpus.Encoded, batch []int, out [][]int64) {
	first := r.Config.firstWord()
	if r.dec.WriteSpecial {
		first = 0
	}
	ids, empty := r.likeliest(d, batch, Objective{Loss: recipe.Masked}, first)
	for _, i := range batch {
		out[i] = slices.Clone(d.IDs[i])
		empties := make([]bool, len(out[i]))
		for k, on := range d.Masks[i] {
			if !on {
				continue
			}
			out[i][k], ids = ids[0], ids[1:]
			if empty != nil {
				empties[k], empty = empty[0], empty[1:]
			}
		}
		writeEmpty(out[i], d.Masks[i], empties)
	}
}

// writeFreely writes the likeliest token at every position after <s_cls>, up to the first <eos>; it
// writes <mask> where that leaves nothing.
func (r *refiller) writeFreely(d corpus.Encoded, batch []int, out [][]int64) {
	ids, _ := r.likeliest(d, batch, Objective{Loss: recipe.Positions}, 0)
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

// maxFills bounds the words that are proposed for a mask.
const maxFills = 32

// A Filler proposes words for masks.
type Filler struct {
	*Model
	words *torch.Packed
	bf16  bool
}

// WithFiller calls fn with a Filler of the model, laid out for about so many masks at a time.
func (m *Model) WithFiller(bf16 bool, masks int, fn func(*Filler) error) error {
	return torch.NoGrad(func() error {
		dec := Decoding{BF16: bf16}
		return fn(&Filler{Model: m, words: torch.Pack(m.out.W, m.out.B, dec.packing(masks)), bf16: bf16})
	})
}

// Fills returns, for every mask of every sentence in order, the words that may stand there, at most
// maxFills of them. The likeliest in the style d.Asked comes first. With own it also says what the
// model thinks of each when the sentence's own style is asked for. With slots a place has so many,
// masked or, from some on, with guided.Empty in them; that is the last word of each mask too, and
// Own is log q where all slots are masked.
func (f *Filler) Fills(ctx context.Context, d corpus.Encoded, own bool) ([][][]guided.Fill, error) {
	out := make([][][]guided.Fill, len(d.IDs))
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		return f.fills(d, batch, own, out)
	})
	return out, err
}

func (f *Filler) fills(d corpus.Encoded, batch []int, own bool, out [][][]guided.Fill) error {
	codes := f.Config.codes()
	rows := codes.targets(d, batch, d.Asked, Objective{Loss: recipe.Masked}).rows
	n := int64(len(rows))
	if n == 0 {
		return nil
	}
	sentences, rows := roundedUp(batch), roundedUp(rows)
	states := func(to []int) (h *torch.Tensor) {
		torch.Autocast(f.bf16, func() { h = f.enc.rows(codes.inputs(d, sentences, to), rows, false) })
		return h
	}
	k := min(maxFills, f.Config.Vocab-int(f.Config.firstWord()))
	wanted := slices.Repeat([]int64{emptyID}, len(rows))
	asked := f.words.Likeliest(states(d.Asked), wanted, int64(len(rows)), f.Config.firstWord(), int64(k), true)
	fills := make([][]guided.Fill, n)
	var ids []int64
	for i, row := range asked[:n] {
		for j := range k {
			fills[i] = append(fills[i], guided.Fill{ID: int64(row[k+j]), Asked: float64(row[j])})
		}
		if f.Config.Slots > 0 {
			fills[i] = append(fills[i], guided.Fill{ID: guided.Empty, Asked: float64(row[2*k])})
		}
		for _, fill := range fills[i] {
			ids = append(ids, fill.ID)
		}
	}
	if own {
		each, h := len(fills[0]), states(d.Styles)
		logits, err := f.logits(h.Narrow(0, 0, n), ids, int64(each))
		if err != nil {
			return err
		}
		for i, logit := range logits {
			fills[i/each][i%each].Own = float64(logit)
		}
		if f.Config.Slots > 0 && allSlots(d, batch) {
			for i, row := range f.words.Likeliest(h, wanted, 0, f.Config.firstWord(), 1, true)[:n] {
				normalise(fills[i], float64(row[2]))
			}
		}
	}
	for _, i := range batch {
		for _, on := range d.Masks[i] {
			if on {
				out[i], fills = append(out[i], fills[0]), fills[1:]
			}
		}
	}
	return nil
}

// LogQ returns, for every mask of every sentence in order, log q of the word of d.IDs there when
// the style d.Asked is asked for.
func (f *Filler) LogQ(ctx context.Context, d corpus.Encoded) ([][]float64, error) {
	out, codes := make([][]float64, len(d.IDs)), f.Config.codes()
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		at := codes.targets(d, batch, d.Asked, Objective{Loss: recipe.Masked})
		if len(at.rows) == 0 {
			return nil
		}
		sentences, rows, words := roundedUp(batch), roundedUp(at.rows), roundedUp(at.tokens)
		var h *torch.Tensor
		torch.Autocast(f.bf16, func() { h = f.enc.rows(codes.inputs(d, sentences, d.Asked), rows, false) })
		logs := f.words.Likeliest(h, words, 0, f.Config.firstWord(), 1, true)
		for _, i := range batch {
			for _, on := range d.Masks[i] {
				if on {
					out[i], logs = append(out[i], float64(logs[0][2])), logs[1:]
				}
			}
		}
		return nil
	})
	return out, err
}

// allSlots tells whether the model is asked about all slots of a batch, of which none holds the
// empty word then without being masked: lengths are chosen by what it says of these, and need log q
// in the own style too.
func allSlots(d corpus.Encoded, batch []int) bool {
	for _, i := range batch {
		for k, id := range d.IDs[i] {
			if id == emptyID && !d.Masks[i][k] {
				return false
			}
		}
	}
	return true
}

// normalise makes Own of fills, whose last is the empty word, log q, given that of the empty word.
func normalise(fills []guided.Fill, empty float64) {
	off := fills[len(fills)-1].Own - empty
	for i := range fills {
		fills[i].Own -= off
	}
}

// statesAtOnce bounds the states whose words' weights are gathered at a time: 4 MB of them at d
// 256. All at once they would be the largest blocks of a transfer, each of another size.
const statesAtOnce = 128

// logits returns the logits of k words at each of the states [K, d]: [K*k].
func (f *Filler) logits(states *torch.Tensor, ids []int64, k int64) (out []float32, err error) {
	d := states.Size(1)
	for from, n := int64(0), states.Size(0); from < n && err == nil; from += statesAtOnce {
		some := min(statesAtOnce, n-from)
		err = torch.Scoped(func() error {
			at := ints(ids[from*k : (from+some)*k])
			w := f.out.W.Rows(at).Reshape(some, k, d)
			products := w.MatMul(states.Narrow(0, from, some).To(torch.Float).Reshape(some, d, 1)).Reshape(some * k)
			out = append(out, products.Add(f.out.B.Rows(at)).Floats()...)
			return nil
		})
	}
	return out, err
}

// roundedUp repeats the first item until their number is one of few, at most 3 % more. oneDNN
// compiles its products anew for every number of rows, and what it keeps of each would lie between
// the blocks of memory that a transfer frees.
func roundedUp[T any](some []T) []T {
	step := 1
	for len(some) > 32*step {
		step *= 2
	}
	return append(slices.Clip(some), slices.Repeat(some[:1], (step-len(some)%step)%step)...)
}
