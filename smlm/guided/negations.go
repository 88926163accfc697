package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// Negation is a phrase that denies something, and what stands in its place without denying it: as
// many words or fewer.
type Negation struct{ Denied, Affirmed []int64 }

// leastAffirmed is by how much the guide's log p(asked) - log p(against) must rise where a phrase
// no longer denies.
const leastAffirmed = .5

// affirmed returns copies of drafts, which are sources, without the phrases that deny: those of
// which the guide finds that the style asked for goes better without them. It returns no copy of
// other drafts, and of which drafts the copies are.
func (r *Refiller) affirmed(ctx context.Context, all []*draft) (copies []*draft, of []int, err error) {
	type phrase struct {
		of, k int
		Negation
	}
	var found []phrase
	p := r.probes(len(all))
	for i, s := range all {
		for k := 0; k < len(s.source); k++ {
			n, denies := r.negationAt(s, k)
			if !denies {
				continue
			}
			c := s.clone()
			if c.affirm(k, n); len(c.ids(asIs)) > 0 {
				p.add(s, asIs)
				p.add(c, asIs)
				found = append(found, phrase{i, k, n})
			}
			k += len(n.Denied) - 1
		}
	}
	if len(found) == 0 {
		return nil, nil, nil
	}
	logs, err := p.Guide.LogProbs(ctx, p.ids)
	if err != nil {
		return nil, nil, err
	}
	for n, at := range found {
		s := all[at.of]
		odds := func(logs []float64) float64 { return logs[s.asked] - r.ofAgainst(s, logs) }
		if odds(logs[2*n+1])-odds(logs[2*n]) < leastAffirmed-rounding {
			continue
		}
		if len(of) == 0 || of[len(of)-1] != at.of {
			copies, of = append(copies, s.clone()), append(of, at.of)
		}
		c := copies[len(copies)-1]
		if c.affirm(at.k, at.Negation); len(c.ids(asIs)) == 0 { // each may go, but not all of them
			copies, of = copies[:len(copies)-1], of[:len(of)-1]
		}
	}
	return copies, of, r.judge(ctx, copies)
}

// negationAt returns the first of Negations that begins at word k of a source, if all its words may
// change.
func (r *Refiller) negationAt(s *draft, k int) (n Negation, denies bool) {
	at := slices.IndexFunc(r.Negations, func(n Negation) bool {
		return k+len(n.Denied) <= len(s.source) && slices.Equal(s.source[k:k+len(n.Denied)], n.Denied)
	})
	if at < 0 {
		return n, false
	}
	n = r.Negations[at]
	return n, s.kept == nil || !slices.Contains(s.kept[k:k+len(n.Denied)], true)
}

// affirm writes what affirms in the places from k on. It stays: these are no masks.
func (s *draft) affirm(k int, by Negation) {
	for i, denied := range by.Denied {
		w := Word{ID: Empty, Place: k + i, Origin: Added}
		if i < len(by.Affirmed) {
			w.ID = by.Affirmed[i]
		}
		if w.ID == denied {
			w.Origin = Kept
		}
		s.words[k+i], s.masks[k+i] = cell{w}, false
	}
}

// Know adds a negation, unless the vocabulary lacks one of its words.
func (r *Refiller) Know(denied, affirmed []string, v *corpus.Vocab) {
	n := Negation{v.Encode(denied), v.Encode(affirmed)}
	if !slices.Contains(n.Denied, corpus.UnkID) && !slices.Contains(n.Affirmed, corpus.UnkID) {
		r.Negations = append(r.Negations, n)
	}
}
