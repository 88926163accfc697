package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// A Searcher writes several outputs of every sentence: those that a beam ends with.
type Searcher struct {
	*Generator
	Beam      int // 1 or more
	NoRepeats bool
	BF16      bool
}

// Search returns for every sentence, with the opposite style asked for and unmasked words copied,
// as many outputs as the beam is wide, the likeliest first, or as many as there are.
func (s Searcher) Search(ctx context.Context, d corpus.Encoded) ([][]guided.Found, error) {
	dec := Decoding{Decoding: recipe.Copied, Beam: s.Beam, NoRepeats: s.NoRepeats, BF16: s.BF16, each: true}
	out := make([][]guided.Found, len(d.IDs))
	err := s.outputs(ctx, d, dec, func(i int, b *beam) {
		for _, h := range b.ended {
			out[i] = append(out[i], guided.Found{IDs: h.words, Asked: h.each[:len(h.words)], LogQ: h.logp})
		}
	})
	return out, err
}
