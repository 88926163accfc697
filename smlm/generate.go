package smlm

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// searchRows bounds the hypotheses that go through the decoder at once: each has logits of a whole vocabulary.
const searchRows = 1024

// Transfer returns every sentence with the opposite style asked for, by beam search: at least one word, at most dec.MaxExtra more than
// the source has or, with dec.Copy, exactly as many; of the special tokens only <eos> can be chosen, which is not returned.
func (g *Generator) Transfer(ctx context.Context, d Data, dec Decoding) ([][]int64, error) {
	out := make([][]int64, len(d.IDs))
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		for part := range slices.Chunk(batch, max(1, searchRows/max(1, dec.Beam))) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := torch.Scoped(func() error { return g.search(d, part, dec, out) }); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// search finds the outputs of a batch step by step; hypotheses of sentences that are done take no part.
func (g *Generator) search(d Data, batch []int, dec Decoding, out [][]int64) error {
	memory := g.enc.forward(g.Config.Frame.inputs(d, batch, other), false)
	beams := make([]*beam, len(batch))
	for k, i := range batch {
		beams[k] = newBeam(d.IDs[i], d.Masks[i], dec)
	}
	for at := 0; ; at++ {
		left := false
		s := &step{at: at}
		for k, b := range beams {
			if b.done() {
				continue
			}
			left = true
			if b.certain(at) {
				id, _ := b.must(at)
				b.extend([][]token{{{id: id}}})
			} else {
				s.add(b, k)
			}
		}
		if !left {
			break
		}
		if len(s.chosen)+len(s.must) == 0 {
			continue
		}
		if err := torch.Scoped(func() error { g.next(s, memory); return nil }); err != nil {
			return err
		}
	}
	for k, i := range batch {
		out[i] = beams[k].best.words
	}
	return nil
}

// step is the hypotheses that the decoder is to continue at one position, those whose next word is to be chosen first.
type step struct {
	at           int
	chosen, must []asked
}

// asked is a beam and where its sentence is in the batch.
type asked struct {
	*beam
	source int
}

func (s *step) add(b *beam, source int) {
	if _, only := b.must(s.at); only {
		s.must = append(s.must, asked{b, source})
	} else {
		s.chosen = append(s.chosen, asked{b, source})
	}
}

// next runs the decoder on all hypotheses of a step at once and extends their beams; memory is the encoder's states [B, L, d].
func (g *Generator) next(s *step, memory *torch.Tensor) {
	var flat, sources, forced []int64
	width, rows := int64(s.at+1), int64(0)
	free := 0 // rows whose next word is to be chosen
	for k, b := range slices.Concat(s.chosen, s.must) {
		for _, h := range b.alive {
			flat = append(append(flat, corpus.BosID), h.words...)
			sources = append(sources, int64(b.source))
			if id, only := b.must(s.at); only {
				forced = append(forced, rows*int64(g.Config.Vocab)+id)
			}
			rows++
		}
		if k < len(s.chosen) {
			free = int(rows)
		}
	}
	states := g.decode(torch.FromInts(flat, rows, width), memory.Rows(ints(sources)), false)
	logp := g.out.Forward(states.Select(1, width-1)).LogSoftmax(1) // [rows, V]
	if free > 0 {
		s.choose(logp.Narrow(0, 0, int64(free)))
	}
	if len(forced) > 0 {
		s.force(logp.Reshape(-1, 1).Rows(ints(forced)).Floats())
	}
}

// choose extends the beams whose next word is open by the likeliest words and, where it may come, <eos>.
func (s *step) choose(logp *torch.Tensor) {
	words := logp.Size(1) - corpus.NumSpecial
	k := min(int64(s.chosen[0].dec.Beam), words)
	top, at := logp.Narrow(1, corpus.NumSpecial, words).TopK(k)
	values, ids, ends := top.Floats(), at.Ints(), logp.Select(1, corpus.EosID).Floats()
	row := 0
	for _, b := range s.chosen {
		next := make([][]token, len(b.alive))
		for h := range next {
			if b.mayEnd(s.at) {
				next[h] = append(next[h], token{corpus.EosID, float64(ends[row])})
			}
			for i := range int(k) {
				n := row*int(k) + i
				next[h] = append(next[h], token{corpus.NumSpecial + ids[n], float64(values[n])})
			}
			row++
		}
		b.extend(next)
	}
}

// force extends the other beams by the one token that may follow.
func (s *step) force(logp []float32) {
	for _, b := range s.must {
		id, _ := b.must(s.at)
		next := make([][]token, len(b.alive))
		for h := range next {
			next[h], logp = []token{{id, float64(logp[0])}}, logp[1:]
		}
		b.extend(next)
	}
}
