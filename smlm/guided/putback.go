package guided

import "context"

// putBack returns source words to their places, one a round and the one first that leaves the guide
// surest, while it stays as sure as asked for; a draft that is not may only become surer.
func (r *Refiller) putBack(ctx context.Context, all []*draft) error {
	if r.How.PutBack == 0 {
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
			s, best := tried[i].draft, i
			for ; i < len(tried) && tried[i].draft == s; i++ {
				if sure[i] > sure[best] {
					best = i
				}
			}
			if sure[best] >= min(r.How.PutBack, s.sure) {
				k := tried[best].k
				s.words[k] = Word{ID: s.source[k], Origin: PutBack, Sure: sure[best]}
				s.sure = sure[best]
				all = append(all, s)
			}
		}
	}
	return nil
}
