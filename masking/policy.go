// Package masking decides which words of a sentence carry its style. Scores come from an attribution (attention of
// a Diversity-LSTM); policies turn scores into masks without running a network.
package masking

import "math/rand/v2"

// Surplus masks word i of n where its score A_i >= (1 + lambdaEps) / n (the paper, eq. 1). Scores of a sentence sum to 1. A
// relative tolerance of 1e-6 absorbs float32 rounding, so that uniform scores mask everything at lambdaEps 0 as the paper says.
func Surplus(scores []float32, lambdaEps float64) []bool {
	mask := make([]bool, len(scores))
	threshold := (1 + lambdaEps) / float64(len(scores)) * (1 - 1e-6)
	for i, a := range scores {
		mask[i] = float64(a) >= threshold
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

// Counts tells how much a set of masks covers.
type Counts struct {
	Sentences int `json:"sentences"`
	Words     int `json:"words"`
	Masked    int `json:"masked"`
	All       int `json:"all"`  // sentences masked whole
	None      int `json:"none"` // sentences without a mask
}

// Count counts masks.
func Count(masks [][]bool) Counts {
	var c Counts
	for _, m := range masks {
		k := 0
		for _, on := range m {
			if on {
				k++
			}
		}
		c.Sentences++
		c.Words += len(m)
		c.Masked += k
		if k == 0 {
			c.None++
		} else if k == len(m) {
			c.All++
		}
	}
	return c
}

// Share returns the masked part of all words, 0 to 1.
func (c Counts) Share() float64 {
	if c.Words == 0 {
		return 0
	}
	return float64(c.Masked) / float64(c.Words)
}
