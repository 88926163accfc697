package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// Negation is a phrase, and what stands in its place so that the sentence says the opposite: the
// same without a negation, or with one.
type Negation struct{ From, To []int64 }

// leastNegated is by how much the guide's log p(own) - log p(asked) must fall where a phrase is
// negated.
const leastNegated = .5

// negated returns copies of drafts, which are sources, with phrases negated: each that, negated
// alone, makes the style asked for likelier to the guide. A draft without such a phrase has no
// copy; of says which draft each copy is of.
func (r *Refiller) negated(ctx context.Context, all []*draft) (copies []*draft, of []int, err error) {
	type phrase struct {
		of, k int
		Negation
	}
	var found []phrase
	p := r.probes(len(all))
	for i, s := range all {
		for k := 0; k < len(s.source); k++ {
			n, fits := r.negationAt(s, k)
			if !fits {
				continue
			}
			c := s.clone()
			if c.negate(k, n); len(c.ids(asIs)) > 0 {
				p.add(s, asIs)
				p.add(c, asIs)
				found = append(found, phrase{i, k, n})
			}
			k += len(n.From) - 1
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
		if s.odds(logs[2*n])-s.odds(logs[2*n+1]) < leastNegated-rounding {
			continue
		}
		if len(of) == 0 || of[len(of)-1] != at.of {
			copies, of = append(copies, s.clone()), append(of, at.of)
		}
		c := copies[len(copies)-1]
		if c.negate(at.k, at.Negation); len(c.ids(asIs)) == 0 { // each may go, but not all of them
			copies, of = copies[:len(copies)-1], of[:len(of)-1]
		}
	}
	return copies, of, r.judge(ctx, copies)
}

// negationAt returns the first of Negations that fits word k of a source and those behind it, if
// all of them may change.
func (r *Refiller) negationAt(s *draft, k int) (n Negation, fits bool) {
	at := slices.IndexFunc(r.Negations, func(n Negation) bool {
		return k+len(n.From) <= len(s.source) && slices.Equal(s.source[k:k+len(n.From)], n.From)
	})
	if at < 0 {
		return n, false
	}
	n = r.Negations[at]
	return n, s.kept == nil || !slices.Contains(s.kept[k:k+len(n.From)], true)
}

// negate negates the phrase that begins at place k: each word in a place, further ones in the last.
// What it writes stays: no mask is left there.
func (s *draft) negate(k int, n Negation) {
	to := n.To
	for i, from := range n.From {
		c := cell{{ID: Empty, Place: k + i, Origin: Added, Negated: true}}
		if len(to) > 0 {
			c[0].ID, to = to[0], to[1:]
		}
		if c[0].ID == from {
			c[0].Origin, c[0].Negated = Kept, false
		}
		for i == len(n.From)-1 && len(to) > 0 {
			c, to = append(c, Word{ID: to[0], Place: k + i, Origin: Inserted, Negated: true}), to[1:]
		}
		s.words[k+i], s.masks[k+i] = c, false
	}
}

// isNegated tells whether negating a phrase changed place k.
func (s *draft) isNegated(k int) bool { return s.words[k].isNegated() }

func (c cell) isNegated() bool {
	return slices.ContainsFunc(c, func(w Word) bool { return w.Negated })
}

// Know adds a negation, and tells whether it can: the vocabulary must have all of its words.
func (r *Refiller) Know(from, to []string, v *corpus.Vocab) bool {
	n := Negation{v.Encode(from), v.Encode(to)}
	if len(from) == 0 || slices.Contains(n.From, corpus.UnkID) || slices.Contains(n.To, corpus.UnkID) {
		return false
	}
	r.Negations = append(r.Negations, n)
	return true
}
