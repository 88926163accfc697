package guided

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// revise chooses the words at a draft's masks once more, from the left, each with all others known;
// when a word was first chosen, those of the masks that were filled later were not. With slots it
// decides how many words a mask becomes, which was one until then. Since the guide
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
			open := make([]bool, len(s.words))
			open[k] = true
			ids, masks := s.withMasks(open, max(1, r.Slots), r.Slots)
			s.addTo(&d, ids, masks)
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

// reconsider chooses what stands in the one open place of each sentence, and writes it where the
// guide stays sure.
func (r *Refiller) reconsider(ctx context.Context, d corpus.Encoded, places []draftWord) error {
	of := *r
	of.How.Gamma = r.How.ReviseGamma
	of.revising = true
	fills, err := of.Filler.Fills(ctx, d, of.How.Gamma > 0)
	if err != nil {
		return err
	}
	p := r.probes(len(places))
	var other []draftWord
	var words []cell
	fillings := make([]filling, len(places))
	machine.Parallel(len(places), func(i int) {
		at := places[i]
		fillings[i] = filling{draft: at.clone(), open: make([]bool, len(at.words))}
		fillings[i].open[at.k] = true
		fillings[i].write(at.k, of.chooseAll(fillings[i], at.k, fills[i])...)
	})
	for i, at := range places {
		if f := fillings[i]; f.differs(at.draft) {
			p.add(f.draft, asIs)
			other, words = append(other, at), append(words, f.words[at.k])
		}
	}
	sure, err := p.ask(ctx)
	if err != nil {
		return err
	}
	for i, at := range other {
		if r.staysSure(at.draft, sure[i]) {
			at.words[at.k], at.sure = words[i], sure[i]
		}
	}
	return nil
}
