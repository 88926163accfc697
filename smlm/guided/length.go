package guided

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// length returns how many words are to stand in place k, given what may stand at its slots: the n
// of the largest
//
//	sum over slots of l(i) + length_gamma (l(i) - l'(i)) + length n + length_fit fit(words)
//
// where l(i) is log q(not empty) of the first n slots and log q(empty) of the others, l' the same
// of the styles that the one asked for is contrasted with, and fit counts where all other words are
// known. Of equals it is the smallest n. A sentence keeps one word, and with the setting no_repeats
// two equal words do not come to stand side by side. Without slots it is one word, and where words
// are chosen once more it is one until then.
func (r *Refiller) length(f filling, k int, fills [][]Fill) int {
	if r.oneWord() {
		return 1
	}
	known := !slices.Contains(f.open[:k], true) && !slices.Contains(f.open[k+1:], true)
	scores := make([]float64, len(fills)+1)
	for n := range scores {
		scores[n] = float64(n) * r.lengthOf(f.draft)
		for i, slot := range fills {
			empty := slot[len(slot)-1]
			asked, own := empty.Asked, empty.Own
			if i < n {
				asked, own = logNot(asked), logNot(own)
			}
			scores[n] += asked
			if r.How.Gamma > 0 { // or nobody asks the model what it thinks in the own style
				scores[n] += r.How.LengthGamma * (asked - own)
			}
		}
		if r.How.Fluency > 0 && r.How.LengthFit > 0 && known {
			c := f.clone()
			c.write(k, r.chooseWords(f, k, n, fills)...)
			scores[n] += r.How.LengthFit * r.fit(c.ids(asIs))
		}
		if f.draws != nil {
			scores[n] -= math.Log(f.draws.exponential(k, -1-int64(n)))
		}
	}
	if !r.mayGo(f, k) {
		scores[0] = math.Inf(-1)
	}
	return top(scores)
}

// lengthOf returns the setting length of a draft's direction.
func (r *Refiller) lengthOf(s *draft) float64 {
	if length, ok := r.Lengths[corpus.Direction{From: s.style, To: s.asked}]; ok {
		return length
	}
	return r.How.Length
}

// oneWord tells whether a mask becomes one word for now, or for good.
func (r *Refiller) oneWord() bool { return r.Slots == 0 || r.How.Revise && !r.revising }

// slotsAsked returns how many slots of a place the model is asked about.
func (r *Refiller) slotsAsked() int {
	if r.oneWord() {
		return 1
	}
	return r.Slots
}

// logNot returns log(1 - p) of log p. p counts as .99 at most: nearer to 1, rounding would move the
// result by more than what counts as equal.
func logNot(logp float64) float64 { return math.Log(-math.Expm1(min(logp, -.01))) }

// fit returns how much better words go together than words that are drawn one by one, a word: the
// log odds by the n-grams, over the number of words and the end (SLOR: Pauls and Klein 2012; Lau,
// Clark and Lappin 2017). Unlike log p it does not fall with every further word.
func (r *Refiller) fit(ids []int64) float64 {
	sum := r.Fluency.LogProb(ids)
	for _, id := range ids {
		sum -= r.Fluency.Alone(id)
	}
	return sum / float64(len(ids)+1)
}

// mayGo tells whether place k may become empty.
func (r *Refiller) mayGo(f filling, k int) bool {
	left := r.place(f, k, 0)
	if !r.How.NoRepeats || left.k == 0 || left.k == len(left.ids) {
		return len(left.ids) > 0
	}
	before, after := left.ids[left.k-1], left.ids[left.k]
	return before != after || before == corpus.MaskID
}

// ofWords returns the words that may stand at a slot, without Empty.
func ofWords(slot []Fill) []Fill {
	if slot[len(slot)-1].ID == Empty {
		return slot[:len(slot)-1]
	}
	return slot
}
