package guided

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// maskMore masks words beside those that attention masked where the guide doubts that a draft has
// the style asked for. Each round masks the word without which the guide is surest, up to half of a
// sentence in all. A round that writes the same words, or does not make the guide surer, is undone,
// and is the last.
func (r *Refiller) maskMore(ctx context.Context, all []*draft) error {
	doubtful := all
	for range r.How.MoreMasks {
		tries, err := r.nextMasks(ctx, doubtful)
		if err != nil {
			return err
		}
		doubtful = doubtful[:0:0]
		var further []*draft
		for _, t := range tries {
			c := t.clone()
			c.masks[t.k] = true
			doubtful, further = append(doubtful, t.draft), append(further, c)
		}
		if err := r.refill(ctx, further); err != nil {
			return err
		}
		gained := doubtful[:0]
		for i, s := range doubtful {
			if s.differs(further[i]) && surer(further[i].sure, s.sure) {
				*s = *further[i]
				gained = append(gained, s)
			}
		}
		doubtful = gained
	}
	return nil
}

// draftWord is a word of a draft that the guide is asked about.
type draftWord struct {
	*draft
	k int
}

// maskable tells whether word k of a draft may be masked beside those that attention masked: not
// where a phrase was negated.
func (r *Refiller) maskable(s *draft, k int) bool {
	return !s.isNegated(k) && (s.kept == nil || !s.kept[k]) && (!r.KeepUnknown || s.source[k] != corpus.UnkID)
}

// halfMasked tells whether one mask more would be more than half of the words.
func (s *draft) halfMasked() bool { return 2*(s.masked()+1) > len(s.words) }

// nextMasks returns, for each draft that the guide doubts, the word to mask next. Drafts are left
// out of which half is masked, or everything that may be.
func (r *Refiller) nextMasks(ctx context.Context, all []*draft) (out []draftWord, err error) {
	p := r.probes(8 * len(all))
	var tried []draftWord
	for _, s := range all {
		if !surer(r.How.Doubt, s.sure) || s.halfMasked() {
			continue
		}
		for k, on := range s.masks {
			if !on && r.maskable(s, k) {
				p.add(s, k, corpus.UnkID)
				tried = append(tried, draftWord{s, k})
			}
		}
	}
	sure, err := p.ask(ctx)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(tried); {
		from := i
		for i < len(tried) && tried[i].draft == tried[from].draft {
			i++
		}
		out = append(out, tried[from+surest(sure[from:i])])
	}
	return out, nil
}
