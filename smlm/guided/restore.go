package guided

import (
	"cmp"
	"context"
)

// restore puts source words back in their places, one a round, as long as the guide stays as sure
// of the draft as the setting restore asks; where it is less sure already, it may only become
// surer. Of the words that may return the first is the one with which the n-grams find the draft
// likeliest or, without n-grams, the one with which the guide is surest.
func (r *Refiller) restore(ctx context.Context, all []*draft) error {
	if r.How.Restore == 0 {
		return nil
	}
	for len(all) > 0 {
		p := r.probes(2 * len(all))
		var tried []draftWord
		for _, s := range all {
			for k, w := range s.words {
				if s.masks[k] && w.ID != s.source[k] {
					p.add(s, k, s.source[k])
					tried = append(tried, draftWord{s, k})
				}
			}
		}
		sure, err := p.ask(ctx)
		if err != nil {
			return err
		}
		all = nil
		for i := 0; i < len(tried); {
			s, from := tried[i].draft, i
			for i < len(tried) && tried[i].draft == s {
				i++
			}
			if best := r.restoredFirst(tried[from:i], sure[from:i]); best >= 0 {
				k := tried[from+best].k
				s.words[k] = Word{ID: s.source[k], Origin: Restored, Sure: sure[from+best]}
				s.sure = sure[from+best]
				all = append(all, s)
			}
		}
	}
	return nil
}

// restoredFirst returns which of a draft's places gets its source word back first, given how sure
// the guide is with each: the left one of equals, -1 if none may.
func (r *Refiller) restoredFirst(places []draftWord, sure []float64) int {
	best, top := -1, 0.0
	for i, at := range places {
		if sure[i] < r.leastSure(at.draft) {
			continue
		}
		worth := sure[i]
		if r.How.Fluency > 0 {
			now, back := at.ids(-1, 0), at.ids(at.k, at.source[at.k])
			worth = r.Fluency.Window(back, at.k) - r.Fluency.Window(now, at.k)
		}
		if best < 0 || worth > top {
			best, top = i, worth
		}
	}
	return best
}

// leastSure returns how sure the guide must stay of a draft: as sure as the setting restore asks
// or, where it is less sure already or nothing is restored, as sure as it is now.
func (r *Refiller) leastSure(s *draft) float64 { return min(cmp.Or(r.How.Restore, 1), s.sure) }
