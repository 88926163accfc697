package guided

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// maskMore masks words beside those that attention masked where the guide doubts that a draft has
// the style asked for. Each round masks the word without which the guide is surest, up to half of a
// sentence in all. A round that writes the same words, or does not make the guide surer, is undone,
// and is the last.
func (r *Refiller) maskMore(ctx context.Context, all []*draft) error {
	doubtful := all
	for n := 0; n < r.How.MoreMasks && len(doubtful) > 0; n++ {
		tries, err := r.nextMasks(ctx, doubtful)
		if err != nil {
			return err
		}
		further := lists.Map(tries, func(t draftWord) *draft {
			c := t.clone()
			c.masks[t.k] = true
			return c
		})
		if err := r.refill(ctx, further); err != nil {
			return err
		}
		doubtful = nil
		for i, t := range tries {
			if t.differs(further[i]) && surer(further[i].sure, t.sure) {
				*t.draft = *further[i]
				doubtful = append(doubtful, t.draft)
			}
		}
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
		out = append(out, tried[from+top(lists.Map(sure[from:i], math.Log))])
	}
	return out, nil
}
