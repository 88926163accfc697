package smlm

import (
	"cmp"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// hypothesis is the start of an output and its log p.
type hypothesis struct {
	words []int64
	logp  float64
	each  []float64 // log p of every token given those before it, where Decoding asks for it; 0 of certain ones
}

// token is a possible next one, with its log p given the words before it.
type token struct {
	id   int64
	logp float64
}

// beam is the search for one sentence's output. Every step keeps the dec.Beam likeliest of all
// one-token continuations of the hypotheses kept before; those of them that end the sentence leave
// the search, and of these the length rule takes one. With a beam of one this is greedy search.
type beam struct {
	dec   Decoding
	limit int     // words an output may have
	fixed []int64 // with copied words: the one that must stand at each position, or choose; exactly limit words then
	alive []hypothesis
	from  []int        // of every hypothesis alive the one that it continues, as numbered before the last extend
	best  *hypothesis  // of those that ended
	score float64      // of best
	ended []hypothesis // all of them, the likeliest first, where Decoding asks for log p of each word
}

// choose marks a position whose word is to be chosen.
const choose = -1

func newBeam(words []int64, mask []bool, dec Decoding) *beam {
	b := &beam{dec: dec, limit: max(1, len(words)+dec.MaxExtra), alive: []hypothesis{{}}}
	b.dec.Beam = max(1, dec.Beam)
	if dec.copies() {
		b.limit, b.fixed = len(words), slices.Clone(words)
		for k, on := range mask {
			if on {
				b.fixed[k] = choose
			}
		}
	}
	return b
}

// must returns the only token that may stand at position at, if there is only one: a copied word,
// or the end after the last word.
func (b *beam) must(at int) (id int64, only bool) {
	switch {
	case at == b.limit:
		return corpus.EosID, true
	case b.fixed != nil && b.fixed[at] != choose:
		return b.fixed[at], true
	}
	return 0, false
}

// mayEnd tells whether the sentence may end at position at although it need not.
func (b *beam) mayEnd(at int) bool { return at > 0 && b.fixed == nil }

// certain tells whether position at needs no model: the log p of a token that must follow the only
// hypothesis is the same for all that come of it, and so decides nothing.
func (b *beam) certain(at int) bool {
	_, only := b.must(at)
	return only && len(b.alive) == 1 && b.best == nil
}

// extend goes on to the next position with the tokens that may follow each hypothesis.
func (b *beam) extend(next [][]token) {
	var all []hypothesis
	var ends []bool
	var parents []int
	for k, h := range b.alive {
		_, only := b.must(len(h.words))
		for _, t := range b.fresh(h, next[k]) {
			next := hypothesis{words: append(slices.Clip(h.words), t.id), logp: h.logp + t.logp}
			if b.dec.each {
				next.each = append(slices.Clip(h.each), t.logp)
			}
			all = append(all, next)
			ends = append(ends, len(h.words) == b.limit || !only && t.id == corpus.EosID)
			parents = append(parents, k)
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[j].logp, all[i].logp) })
	b.alive, b.from = nil, nil
	for _, i := range order[:min(b.dec.Beam, len(order))] {
		if ends[i] {
			b.end(all[i])
		} else {
			b.alive, b.from = append(b.alive, all[i]), append(b.from, parents[i])
		}
	}
}

// fresh returns the tokens that repeat no word beside them: the one before, or a copied one that
// must come after; all of them where nothing else is left, or where Decoding does not ask for it.
func (b *beam) fresh(h hypothesis, next []token) []token {
	at := len(h.words)
	if _, only := b.must(at); only || !b.dec.NoRepeats {
		return next
	}
	repeats := func(t token) bool {
		return at > 0 && t.id == h.words[at-1] || b.fixed != nil && at+1 < b.limit && t.id == b.fixed[at+1]
	}
	if fresh := slices.DeleteFunc(slices.Clone(next), repeats); len(fresh) > 0 {
		return fresh
	}
	return next
}

// end takes a whole sentence, <eos> last.
func (b *beam) end(h hypothesis) {
	h.words = h.words[:len(h.words)-1]
	if b.dec.each {
		b.ended = append(b.ended, h)
	}
	if s := b.dec.score(h.logp, len(h.words)); b.best == nil || s > b.score {
		b.best, b.score = &h, s
	}
}

// done tells whether no hypothesis can come to a better score than best: log p only falls, so that
// none scores above what its log p now would at the length the rule favours, the shortest or the
// longest still possible.
func (b *beam) done() bool {
	if len(b.alive) == 0 {
		return true
	}
	h := b.alive[0] // the likeliest
	return b.best != nil && b.score >= max(b.dec.score(h.logp, len(h.words)), b.dec.score(h.logp, b.limit))
}
