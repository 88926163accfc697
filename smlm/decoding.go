package smlm

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Decoding says how outputs are chosen. With the zero value SMLM and SMLM-FT choose the likeliest
// ordinary word at every position, and SMLM-G searches greedily for a sentence that is at most as
// long as its source.
type Decoding struct {
	// Decoding, where it copies, keeps the source's ids at positions that are not masked, in every
	// model: an output has then as many words as its source, and word k is the source's wherever
	// corpus.Encoded.Masks is false. The caller puts the source's own word there, as an id says
	// nothing of an unknown word.
	Decoding recipe.Decoding
	// BF16 makes matrix products in bfloat16, as a training with that precision does. Logits are
	// rounded to it too, so that the first of nearly equal words may win.
	BF16 bool

	// The rest is read by SMLM-G alone.

	MaxExtra  int  // words that an output may have more than its source; it always has one
	Beam      int  // hypotheses that are kept at each step; 0 and 1 are greedy search
	NoRepeats bool // no word is chosen beside itself
}

// copies tells whether words that are not masked are the source's.
func (dec Decoding) copies() bool { return dec.Decoding.Copies() }

// choices returns how many candidates a search asks the model for at each position: as many as the
// beam is wide, and those that may be taken out again as repeats.
func (dec Decoding) choices() int {
	k := max(1, dec.Beam)
	if dec.NoRepeats {
		k += 2 // those that would repeat the word before and the one after
	}
	return k
}

// lengthAlpha is from 0.6 to 0.7, which Wu et al. 2016 usually found best.
const lengthAlpha = 0.6

// lengthScore is the length rule (Wu et al. 2016, equation 14, without its coverage term): of the
// finished hypotheses a search takes that of the largest score.
func lengthScore(logp float64, words int) float64 {
	return logp / math.Pow(float64(5+words)/6, lengthAlpha)
}
