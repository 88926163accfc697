package guided

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// revise chooses the words at a draft's masks once more, from the left, each with all others known;
// when a word was first chosen, those of the masks that were filled later were not. Since the guide
// says here whether the draft keeps its style, the contrast may weigh less than in the first
// choice. A word is not written with which the guide does not stay sure (staysSure).
func (r *Refiller) revise(ctx context.Context, all []*draft) error {
	for from := make([]int, len(all)); ; {
		var d corpus.Encoded
		var places []draftWord
		for i, s := range all {
			k := s.nextChosen(from[i])
			from[i] = min(k+1, len(s.words))
			if k == len(s.words) {
				continue
			}
			mask := make([]bool, len(s.words))
			mask[k] = true
			s.addTo(&d, s.ids(-1, 0), mask)
			places = append(places, draftWord{s, k})
		}
		if len(places) == 0 {
			return nil
		}
		if err := r.reconsider(ctx, d, places); err != nil {
			return err
		}
	}
}

// reconsider chooses the one masked word of each sentence, and writes it where the guide stays
// sure.
func (r *Refiller) reconsider(ctx context.Context, d corpus.Encoded, places []draftWord) error {
	of := *r
	of.How.Gamma = r.How.ReviseGamma
	fills, err := r.Filler.Fills(ctx, d, of.How.Gamma > 0)
	if err != nil {
		return err
	}
	p := r.probes(len(places))
	var other []draftWord
	var words []Fill
	for i, at := range places {
		word := of.choose(place{ids: d.IDs[i], k: at.k, asked: at.asked}, fills[i][0])
		if word.ID != at.words[at.k].ID {
			p.add(at.draft, at.k, word.ID)
			other, words = append(other, at), append(words, word)
		}
	}
	sure, err := p.ask(ctx)
	if err != nil {
		return err
	}
	for i, at := range other {
		if r.staysSure(at.draft, sure[i]) {
			at.write(at.k, words[i])
			at.sure = sure[i]
		}
	}
	return nil
}
