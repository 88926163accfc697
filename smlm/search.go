package smlm

import (
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// searched is a sentence whose output is being written.
type searched struct {
	*beam
	memory, width int32     // which of the encoder's states are the source's: from memory on, so many
	paths         [][]int32 // for every hypothesis alive the slots of its positions that the decoder has been through
}

// search finds the outputs of a group of sentences. Each goes on at its own pace: a step takes it
// to the next word that is to be chosen, through all words before it that are certain. Sentences
// that are done take no part.
func (w *writer) search(ctx context.Context, d corpus.Encoded, group [][]int, beams map[int]*beam) error {
	var left []*searched
	var states []*torch.Tensor
	memory, slots := int32(0), 0
	for _, batch := range group {
		err := torch.Scoped(func() error {
			states = append(states, w.encode(d, batch).Keep())
			return nil
		})
		if err != nil {
			return err
		}
		width := int32(states[len(states)-1].Size(0)) / int32(len(batch))
		for _, i := range batch {
			left = append(left, &searched{beam: beams[i], memory: memory, width: width, paths: [][]int32{nil}})
			memory += width
			slots += beams[i].slots()
		}
	}
	cache := w.decoder.Cache(torch.Cat(0, states...), slots)
	for {
		left = slices.DeleteFunc(left, func(b *searched) bool { b.skip(); return b.done() })
		if len(left) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := torch.Scoped(func() error { w.step(left, cache); return nil }); err != nil {
			return err
		}
	}
}

// encode returns the encoder's states of a batch of sentences of equal length, [B*L, d].
func (w *writer) encode(d corpus.Encoded, batch []int) *torch.Tensor {
	var states *torch.Tensor
	torch.Autocast(w.dec.BF16, func() { states = w.enc.forward(w.Config.codes().inputs(d, batch, other), false) })
	return states.Reshape(-1, int64(w.Config.Dim)).To(torch.Float)
}

// at is the position of the next word.
func (b *beam) at() int { return len(b.alive[0].words) }

// skip goes through the words that need no model.
func (b *beam) skip() {
	for !b.done() && b.certain(b.at()) {
		id, _ := b.must(b.at())
		b.extend([][]token{{{id: id}}})
	}
}

// until returns the position from at on of the first word to be chosen, or that of the end.
func (b *beam) until() int {
	to := b.at()
	for to < b.limit {
		if _, only := b.must(to); !only {
			break
		}
		to++
	}
	return to
}

// step runs the decoder over all positions up to the next words to be chosen and extends the beams
// by what it says.
func (w *writer) step(left []*searched, cache *nn.DecoderCache) {
	in := &input{next: int32(cache.Used())}
	for _, b := range left {
		in.add(b)
	}
	x := w.enc.embed.Forward(ints(in.tokens)).Scale(math.Sqrt(float64(w.Config.Dim))).Add(w.positions.Rows(ints(in.at)))
	states := cache.Forward(x, in.self, in.memory, append(in.open, in.known...))
	k := min(w.dec.choices(), w.Config.Vocab-firstWord)
	// With one hypothesis log p decides nothing but which word is the likeliest, and that logits
	// say too.
	rows := w.words.Likeliest(states, in.want(), int64(len(in.open)), firstWord, int64(k), w.dec.Beam > 1 || w.dec.each)
	open, known := rows[:len(in.open)], rows[len(in.open):]
	for _, b := range left {
		open, known = b.read(open, known, k)
	}
}
