// Package masking decides which words of a sentence carry its style. An Attribution scores the words by a
// Diversity-LSTM; a Policy turns scores into masks without running a network.
package masking

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// The names of the policies.
const (
	SurplusPolicy  = "surplus"   // attribution surplus (the paper, eq. 1)
	TopKPolicy     = "top_k"     // the same number of words in every sentence
	TopSharePolicy = "top_share" // the same share of words
	NonePolicy     = "none"      // no word: what the others are compared with
)

// Policy decides from scores, which are a sentence's distribution over its words. Fields that its Name does not use are ignored.
type Policy struct {
	Name      string
	LambdaEps float64 // surplus: a word is masked where A_i >= (1 + LambdaEps) / n
	Strict    bool    // surplus: > instead of >=, as in the authors' code
	Extra     int     // surplus: positions that count in n beside the words, 1 with a start token
	K         int     // top_k: how many words
	Share     float64 // top_share: ceil(Share * words), 0 to 1
}

// tolerance absorbs float32's rounding of a score that is meant to be exactly 1/n.
const tolerance = 1e-6

// Mask returns what to mask of one sentence, one entry a word. Of equal scores the earlier word comes first; a sentence
// of fewer words than asked for is masked whole. It panics on a name that is none of the policies'.
func (p Policy) Mask(scores []float32) []bool {
	switch p.Name {
	case SurplusPolicy:
		return p.surplus(scores)
	case TopKPolicy:
		return top(scores, p.K)
	case TopSharePolicy:
		return top(scores, int(math.Ceil(p.Share*float64(len(scores))-tolerance)))
	case NonePolicy:
		return make([]bool, len(scores))
	default:
		panic(fmt.Sprintf("masking: unknown policy %q", p.Name))
	}
}

// surplus compares with the mean score. Within the tolerance a score is at its threshold: at LambdaEps 0 uniform scores mask
// everything, as the paper says, and nothing with Strict.
func (p Policy) surplus(scores []float32) []bool {
	mask := make([]bool, len(scores))
	threshold := (1 + p.LambdaEps) / float64(len(scores)+p.Extra)
	for i, a := range scores {
		if p.Strict {
			mask[i] = float64(a) > threshold*(1+tolerance)
		} else {
			mask[i] = float64(a) >= threshold*(1-tolerance)
		}
	}
	return mask
}

// top masks the k words of the largest scores.
func top(scores []float32, k int) []bool {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	mask := make([]bool, len(scores))
	for _, i := range order[:min(max(k, 0), len(order))] {
		mask[i] = true
	}
	return mask
}

// Shuffled returns a mask with as many words as the given one at places drawn from rng: the baseline of equal share.
func Shuffled(mask []bool, rng *rand.Rand) []bool {
	out := make([]bool, len(mask))
	copy(out, mask)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
