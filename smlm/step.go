package smlm

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// firstWord is the id of the first word that may be chosen.
const firstWord = corpus.NumSpecial

// input is the positions that a step feeds to the decoder, and what it wants to know of them.
type input struct {
	next         int32   // the slot of the next position
	tokens, at   []int64 // a position's token and where it stands
	self, memory torch.Spans
	open, known  []int64 // positions after which a word is chosen; those after which only one token may come
	follows      []int64 // what comes after the known ones
}

// add feeds what the decoder has not seen of a beam's hypotheses and of the words that must come
// next.
func (in *input) add(b *searched) {
	to, now := b.until(), b.at()
	for k, h := range b.alive {
		path := slices.Clip(b.paths[k])
		start := int32(len(in.self.Slots))
		for at := len(path); at <= to; at++ {
			path = append(path, in.next)
			in.next++
			in.tokens, in.at = append(in.tokens, b.before(h, at)), append(in.at, int64(at))
			in.self.Start, in.self.Length = append(in.self.Start, start), append(in.self.Length, int32(at+1))
			in.memory.Start, in.memory.Length = append(in.memory.Start, b.memory), append(in.memory.Length, b.width)
			row := int64(len(in.at) - 1)
			switch id, only := b.must(at); {
			case at < now:
			case only:
				in.known, in.follows = append(in.known, row), append(in.follows, id)
			default:
				in.open = append(in.open, row)
			}
		}
		in.self.Slots = append(in.self.Slots, path...)
		b.paths[k] = path
	}
}

// before returns the decoder's input at a position, the token before it.
func (b *searched) before(h hypothesis, at int) int64 {
	switch {
	case at == 0:
		return corpus.BosID
	case at <= len(h.words):
		return h.words[at-1]
	}
	return b.fixed[at-1]
}

// want returns the tokens whose values are asked for: of open positions <eos>, of known ones what
// follows.
func (in *input) want() []int64 {
	return append(slices.Repeat([]int64{corpus.EosID}, len(in.open)), in.follows...)
}

// read extends the beam through the words that must come next and by the choice after them, given k
// candidates, and returns the rows that are the next beams'.
func (b *searched) read(open, known [][]float32, k int) (restOpen, restKnown [][]float32) {
	to, now, alive := b.until(), b.at(), len(b.alive)
	_, ends := b.must(to)
	forced := to - now // known positions of a hypothesis
	if ends {
		forced++
	}
	origin := make([]int, alive) // of each hypothesis the one of before that its rows are of
	for i := range origin {
		origin[i] = i
	}
	follow := func(next [][]token) {
		b.extend(next)
		paths, origins := make([][]int32, len(b.from)), make([]int, len(b.from))
		for i, from := range b.from {
			paths[i], origins[i] = b.paths[from], origin[from]
		}
		b.paths, origin = paths, origins
	}
	for j := range forced {
		id, _ := b.must(now + j)
		next := make([][]token, len(b.alive))
		for i := range next {
			next[i] = []token{{id, float64(known[origin[i]*forced+j][2*k])}}
		}
		follow(next)
	}
	if ends {
		return open, known[alive*forced:]
	}
	next := make([][]token, len(b.alive))
	for i := range next {
		next[i] = candidates(open[origin[i]], k, b.mayEnd(to))
	}
	follow(next)
	return open[alive:], known[alive*forced:]
}

// candidates returns the k likeliest words of a row and, where it may come, <eos>.
func candidates(row []float32, k int, mayEnd bool) (next []token) {
	if mayEnd {
		next = append(next, token{corpus.EosID, float64(row[2*k])})
	}
	for i := range k {
		next = append(next, token{int64(row[k+i]), float64(row[i])})
	}
	return next
}
