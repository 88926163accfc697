package smlm

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Transfer returns every sentence written in the style d.Asked, with all positions chosen at once.
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

// refiller is a Model whose vocabulary layer is laid out for one transfer.
type refiller struct {
	*Model
	dec   Decoding
	words *torch.Packed
}

// transfer writes the outputs of a batch.
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

// likeliest returns, for each position that o counts, the likeliest word when the style d.Asked is
// asked for.
func (r *refiller) likeliest(d corpus.Encoded, batch []int, o Objective) (ids []int64) {
	f := r.Config.codes()
	rows := f.targets(d, batch, o).rows
	if len(rows) == 0 {
		return nil
	}
	var states *torch.Tensor
	torch.Autocast(r.dec.BF16, func() { states = r.enc.rows(f.inputs(d, batch, d.Asked), rows, false) })
	n := int64(len(rows))
	for _, row := range r.words.Likeliest(states, make([]int64, n), n, r.Config.firstWord(), 1, false) {
		ids = append(ids, int64(row[1]))
	}
	return ids
}

// refill chooses words where masks are and keeps the others.
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

// mostFills bounds the words that are proposed for a mask.
const mostFills = 32

// A Filler proposes words for masks.
type Filler struct {
	*Model
	words  *torch.Packed
	layers *nn.SpanEncoder
	bf16   bool
	// vectors [V, d] are those of words in the vocabulary layer, norms [V] their lengths.
	vectors []float32
	norms   []float64
}

// WithFiller calls fn with a Filler of the model, laid out for about so many masks at a time.
func (m *Model) WithFiller(bf16 bool, masks int, fn func(*Filler) error) error {
	return torch.NoGrad(func() error {
		how := Decoding{BF16: bf16}.packing(masks)
		f := &Filler{
			Model: m, words: torch.Pack(m.out.W, m.out.B, how), bf16: bf16,
			layers: nn.NewSpanEncoder(m.enc.layers, how), vectors: m.out.W.Floats(),
		}
		for id := range m.Config.Vocab {
			f.norms = append(f.norms, math.Sqrt(dot(f.vector(int64(id)), f.vector(int64(id)))))
		}
		return fn(f)
	})
}

// vector returns that of a word in the vocabulary layer.
func (f *Filler) vector(id int64) []float32 {
	d := len(f.vectors) / f.Config.Vocab
	return f.vectors[int(id)*d : (int(id)+1)*d]
}

func dot(x, y []float32) (sum float64) {
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum
}

// Likeness returns the cosine of the vectors that two words have in the vocabulary layer.
func (f *Filler) Likeness(a, b int64) float64 {
	return dot(f.vector(a), f.vector(b)) / max(f.norms[a]*f.norms[b], 1e-15)
}

// Fills returns, for every mask of every sentence in order, the words that may stand there, at
// most mostFills of them, the likeliest in the style d.Asked first. It also says what the model
// thinks of each word when the sentence's own style is asked for: log q up to a constant of the
// mask.
func (f *Filler) Fills(ctx context.Context, d corpus.Encoded) ([][][]guided.Fill, error) {
	codes := f.Config.codes()
	out := make([][][]guided.Fill, len(d.IDs))
	var masked []int // sentences
	var asked, own [][]int64
	for i, words := range d.IDs {
		if slices.Contains(d.Masks[i], true) {
			masked = append(masked, i)
			asked = append(asked, codes.input(words, d.Masks[i], d.Styles[i], d.Asked[i]))
			own = append(own, codes.input(words, d.Masks[i], d.Styles[i], d.Styles[i]))
		}
	}
	err := nn.ForStretches(ctx, asked, tokensAtOnce, func(from int, some [][]int64) error {
		sentences := masked[from : from+len(some)]
		var rows []int64 // of all masks
		first := 0
		for k, i := range sentences {
			for at, on := range d.Masks[i] {
				if on {
					rows = append(rows, int64(first+at))
				}
			}
			first += len(some[k])
		}
		fills := f.likeliest(f.states(some, rows), len(rows))
		if err := f.askOwn(fills, f.states(own[from:from+len(some)], rows)); err != nil {
			return err
		}
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

// tokensAtOnce bounds the tokens that go through the encoder together: what a layer makes of more
// does not stay in a core's cache.
const tokensAtOnce = 1500

// states returns those of some rows of inputs, [K, d]. The last ones may be there for their number
// alone.
func (f *Filler) states(inputs [][]int64, rows []int64) (h *torch.Tensor) {
	torch.Autocast(f.bf16, func() { h = f.enc.spans(f.layers, inputs, roundedUp(rows)) })
	return h
}

// likeliest returns the words that may stand at the first n states.
func (f *Filler) likeliest(h *torch.Tensor, n int) [][]guided.Fill {
	k := min(mostFills, f.Config.Vocab-int(f.Config.firstWord()))
	rows := h.Size(0)
	fills := make([][]guided.Fill, n)
	for i, row := range f.words.Likeliest(h, make([]int64, rows), rows, f.Config.firstWord(), int64(k), true)[:n] {
		for j := range k {
			fills[i] = append(fills[i], guided.Fill{ID: int64(row[k+j]), Asked: float64(row[j])})
		}
	}
	return fills
}

// askOwn fills in what the model thinks of fills when the own style is asked for, given the states.
func (f *Filler) askOwn(fills [][]guided.Fill, h *torch.Tensor) error {
	var ids []int64
	for _, some := range fills {
		for _, fill := range some {
			ids = append(ids, fill.ID)
		}
	}
	logits, err := f.logits(h.Narrow(0, 0, int64(len(fills))), ids, int64(len(fills[0])))
	if err != nil {
		return err
	}
	for _, some := range fills {
		for i := range some {
			some[i].Own, logits = float64(logits[0]), logits[1:]
		}
	}
	return nil
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
