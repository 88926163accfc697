package smlm

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Decoding says how outputs are chosen. With the zero value, SMLM and SMLM-FT choose the likeliest
// ordinary word at every position, and SMLM-G searches greedily for a sentence that is at most as
// long as its source.
type Decoding struct {
	// Decoding is the kind of decoding. With a kind that copies, an output has as many words as its
	// source, and every model keeps the source's ids where corpus.Encoded.Masks is false. All
	// unknown words have the same id. So where an unknown id is kept, the caller must put the
	// source's own word.
	Decoding recipe.Decoding
	// BF16 makes the model compute matrix products in bfloat16, as in training with that precision.
	// Logits are rounded to bfloat16 too. If this makes the logits of several words equal, the
	// first word wins.
	BF16 bool

	// Only SMLM-G reads the fields below.

	MaxExtra  int  // maximum number of words that an output may have beyond the length of its source
	Beam      int  // hypotheses kept at each step; 0 and 1 mean greedy search
	NoRepeats bool // never choose a word that equals its neighbour
}

// copies tells whether unmasked words are copied from the source.
func (dec Decoding) copies() bool { return dec.Decoding.Copies() }

// choices returns how many candidates a search needs at each position: the beam width and, with
// NoRepeats, two more, because two may be dropped as repeats.
func (dec Decoding) choices() int {
	k := max(1, dec.Beam)
	if dec.NoRepeats {
		k += 2 // one candidate may repeat the word before, and one the word after
	}
	return k
}

// lengthAlpha is the exponent of the length normalisation. Wu et al. 2016 usually found values from
// 0.6 to 0.7 best.
const lengthAlpha = 0.6

// lengthScore scores a finished hypothesis (Wu et al. 2016, equation 14, without its coverage
// term). A search returns the hypothesis with the highest score.
func lengthScore(logp float64, words int) float64 {
	return logp / math.Pow(float64(5+words)/6, lengthAlpha)
}
