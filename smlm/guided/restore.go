package guided

import (
	"cmp"
	"context"
)

// restore returns source words to their places, one a round, as long as the guide stays as sure as
// asked for; a draft that is not may only become surer. Of those that may return the first is that
// with which the n-grams find the draft likeliest or, without n-grams, the guide is surest.
func (r *Refiller) restore(ctx context.Context, all []*draft) error {
	if r.How.Restore == 0 {
		return nil
	}
	for len(all) > 0 {
		p := r.probes(2 * len(all))
		var tried []spot
		for _, s := range all {
			for k, w := range s.words {
				if s.masks[k] && w.ID != s.source[k] {
					p.add(s, k, s.source[k])
					tried = append(tried, spot{s, k})
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
			if best := r.first(tried[from:i], sure[from:i]); best >= 0 {
				k := tried[from+best].k
				s.words[k] = Word{ID: s.source[k], Origin: Restored, Sure: sure[from+best]}
				s.sure = sure[from+best]
				all = append(all, s)
			}
		}
	}
	return nil
}

// first returns which of a draft's places has its source word back first, given how sure the guide
// is with it: -1 where none may, the left one of equals.
func (r *Refiller) first(places []spot, sure []float64) int {
	best, top := -1, 0.0
	for i, at := range places {
		if sure[i] < r.least(at.draft) {
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

// least is how sure the guide must stay of a draft: as restore asks for or, where it is less sure
// already or nothing is restored, no less than it is.
func (r *Refiller) least(s *draft) float64 { return min(cmp.Or(r.How.Restore, 1), s.sure) }
