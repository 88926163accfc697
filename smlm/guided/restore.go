package guided

import (
	"cmp"
	"context"
	"math"
)

// restore puts source words back in their places, one a round, as long as the guide stays as sure
// of the draft as the setting restore asks; where it is less sure already, it may not become less
// so. Of the words that may return the first is the one with which the n-grams find the draft
// likeliest or, without n-grams, the one with which the guide is surest. With the setting
// no_repeats no word returns beside itself, but where the source has it so.
func (r *Refiller) restore(ctx context.Context, all []*draft) error {
	if r.How.Restore == 0 {
		return nil
	}
	telling := r.telling(all)
	for len(all) > 0 {
		p := r.probes(2 * len(all))
		var tried []draftWord
		for _, s := range all {
			for k, on := range s.masks {
				if on && !s.isSource(k) && !(r.How.NoRepeats && s.repeats(k)) {
					p.add(s, k, s.source[k])
					tried = append(tried, draftWord{s, k})
				}
			}
		}
		sure, err := p.ask(ctx)
		if err != nil {
			return err
		}
		may := make([]bool, len(tried))
		for i, at := range tried {
			may[i] = r.staysSure(at.draft, sure[i])
		}
		if err := telling.keep(ctx, tried, may); err != nil {
			return err
		}
		all = nil
		for i := 0; i < len(tried); {
			s, from := tried[i].draft, i
			for i < len(tried) && tried[i].draft == s {
				i++
			}
			if best := r.restoredFirst(tried[from:i], sure[from:i], may[from:i]); best >= 0 {
				s.restore(tried[from+best].k, sure[from+best])
				all = append(all, s)
			}
		}
	}
	return nil
}

// telling knows which words of the source may not return, since the model finds them so much
// likelier in their own style beside what the others became. It asks about those alone that the
// guide lets return.
type telling struct {
	*Refiller
	of map[draftWord]form // of drafts before a word returned
	is map[draftWord]bool // of the words that it asked about
}

// telling looks at drafts as they stand.
func (r *Refiller) telling(all []*draft) *telling {
	t := &telling{r, map[draftWord]form{}, map[draftWord]bool{}}
	if r.How.RestoreContrast == 0 {
		return t
	}
	for _, s := range all {
		for _, f := range s.clone().forms(func(s *draft, k int) bool { return s.masks[k] && !s.isSource(k) }) {
			for _, k := range f.places {
				t.of[draftWord{s, k}] = f
			}
		}
	}
	return t
}

// keep leaves may on of those words that are not telling.
func (t *telling) keep(ctx context.Context, words []draftWord, may []bool) error {
	var forms []form
	var of []*draft
	for i, w := range words {
		if _, known := t.is[w]; known || !may[i] || t.of[w].draft == nil {
			continue
		}
		forms, of = append(forms, t.of[w]), append(of, w.draft)
		for _, k := range t.of[w].places {
			t.is[draftWord{w.draft, k}] = false // asked once for all words of the form
		}
	}
	found, err := t.askForms(ctx, forms)
	if err != nil {
		return err
	}
	for i, f := range forms {
		for n, k := range f.places {
			t.is[draftWord{of[i], k}] = found[i][n] > t.How.RestoreContrast+rounding
		}
	}
	for i, w := range words {
		may[i] = may[i] && !t.is[w]
	}
	return nil
}

// restoredFirst returns which of a draft's places gets its source word back first, given how sure
// the guide is with each and which may: the left one of equals, -1 if none may.
func (r *Refiller) restoredFirst(places []draftWord, sure []float64, may []bool) int {
	worth := make([]float64, len(places))
	for i, at := range places {
		switch {
		case !may[i]:
			worth[i] = math.Inf(-1)
		case r.How.Fluency > 0:
			worth[i] = r.gain(at)
		default:
			worth[i] = math.Log(sure[i])
		}
	}
	return largest(worth)
}

// gain returns by how much the n-grams' log p of a draft rises with the source's word in a place.
func (r *Refiller) gain(at draftWord) float64 {
	now, back := at.ids(asIs), at.ids(at.k, at.source[at.k])
	if len(now) != len(back) {
		return r.Fluency.LogProb(back) - r.Fluency.LogProb(now)
	}
	k := at.at(at.k)
	return r.Fluency.Window(back, k) - r.Fluency.Window(now, k)
}

// staysSure tells whether the guide is sure enough of a changed draft: as sure as the setting
// restore asks or, where it was less sure before or nothing is restored, as sure as before.
func (r *Refiller) staysSure(s *draft, changed float64) bool {
	return !surer(min(cmp.Or(r.How.Restore, 1), s.sure), changed)
}

// repeats tells whether the source's word at k would stand beside itself where the source has
// another word.
func (s *draft) repeats(k int) bool {
	word := s.source[k]
	before, after := s.beside(k)
	return before == word && !(k > 0 && s.source[k-1] == word) ||
		after == word && !(k+1 < len(s.source) && s.source[k+1] == word)
}
