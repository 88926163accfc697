package smlm

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// uncached is the search as it is without a cache: at every position the decoder goes through all
// words of all hypotheses of sentences of one length once more, and every row has the log p of a
// whole vocabulary, also for greedy search.
func uncached(g *Generator, d corpus.Encoded, dec Decoding) []hypothesis {
	out := make([]hypothesis, len(d.IDs))
	for _, batch := range nn.Sorted(lengths(d), nn.EvalTokens) {
		must(torch.NoGrad(func() error {
			memory := g.enc.forward(g.Config.codes().inputs(d, batch, other), false)
			beams := make([]*beam, len(batch))
			for k, i := range batch {
				beams[k] = newBeam(d.IDs[i], d.Masks[i], dec)
			}
			for at := 0; slices.ContainsFunc(beams, func(b *beam) bool { return !b.done() }); at++ {
				for k, b := range beams {
					switch {
					case b.done():
					case b.certain(at):
						id, _ := b.must(at)
						b.extend([][]token{{{id: id}}})
					default:
						b.extend(continuations(g, b, at, memory.Narrow(0, int64(k), 1)))
					}
				}
			}
			for k, i := range batch {
				out[i] = *beams[k].best
			}
			return nil
		}))
	}
	return out
}

// continuations returns the tokens that may follow each hypothesis of a beam; memory is the
// encoder's states [1, L, d].
func continuations(g *Generator, b *beam, at int, memory *torch.Tensor) [][]token {
	n := int64(len(b.alive))
	var flat []int64
	for _, h := range b.alive {
		flat = append(append(flat, corpus.BosID), h.words...)
	}
	l, d := memory.Size(1), memory.Size(2)
	states := g.decode(torch.FromInts(flat, n, int64(at+1)), memory.Expand(n, l, d), false)
	logits := g.out.Forward(states.Narrow(1, int64(at), 1))
	vocab := int(logits.Size(-1))
	rows, next := logits.Floats(), make([][]token, n)
	for k := range next {
		row := logSoftmax(rows[k*vocab : (k+1)*vocab])
		if id, only := b.must(at); only {
			next[k] = []token{{id, float64(row[id])}}
			continue
		}
		if b.mayEnd(at) {
			next[k] = append(next[k], token{corpus.EosID, float64(row[corpus.EosID])})
		}
		for id := corpus.NumSpecial; id < vocab; id++ {
			next[k] = append(next[k], token{int64(id), float64(row[id])})
		}
	}
	return next
}
