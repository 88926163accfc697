package guided

import (
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// length returns how many words are to stand in place k, given what may stand at its slots. Without
// slots it is one. With them it is the n of the largest
//
//	sum over the first n slots of log q(not empty) + length, and over the others of log q(empty)
//
// the smallest of equals. A sentence keeps one word, and with the setting no_repeats two equal
// words do not come to stand side by side.
func (r *Refiller) length(f filling, k int, fills [][]Fill) int {
	if r.Slots == 0 {
		return 1
	}
	scores := make([]float64, len(fills)+1)
	for n := range scores {
		for i, slot := range fills {
			empty := slot[len(slot)-1]
			asked, own := min(empty.Asked, -1e-6), min(empty.Own, -1e-6)
			if i < n {
				asked, own = math.Log(-math.Expm1(asked)), math.Log(-math.Expm1(own))
				scores[n] += r.How.Length
			}
			scores[n] += asked
			if r.How.Gamma > 0 {
				scores[n] += r.How.LengthGamma * (asked - own)
			}
		}
		if f.draws != nil {
			scores[n] = scores[n]/r.How.Temperature - math.Log(f.draws.exponential(k, -1-int64(n)))
		}
	}
	if !r.mayGo(f, k) {
		scores[0] = math.Inf(-1)
	}
	return max(0, largest(scores))
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
