package smlm

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Decoding says how outputs are chosen. The zero value is the likeliest ordinary word at every
// position (SMLM, SMLM-FT), and greedy search for a sentence at most as long as the source
// (SMLM-G).
type Decoding struct {
	// Decoding, where it copies, keeps the source's ids at positions that are not masked, in every
	// model: an output has then as many words as its source, and word k is the source's wherever
	// Data.Masks is false. The caller puts the source's own word there, as an id says nothing of an
	// unknown word.
	Decoding recipe.Decoding
	// WriteSpecial is the published code's decoding of SMLM and SMLM-FT: the likeliest token of all
	// at every position after <s_cls>, the codes' too, cut at the first <eos>. So <unk> and codes
	// may be written, the length may change, and an empty output becomes one <mask>. With copied
	// words only masked words are chosen, and <eos> is none. SMLM-G passes over it.
	WriteSpecial bool
	// BF16 makes matrix products in bfloat16, as in training with that precision; logits are
	// rounded to it too, so of nearly equal words the first may win.
	BF16 bool

	// The rest is for SMLM-G.

	MaxExtra int // words an output may have more than its source; an output always has one
	Beam     int // hypotheses kept at each step; 0 and 1 are greedy search
	// LengthPenalty is alpha of the length rule (Wu et al. 2016, equation 14, without its coverage
	// term): of a beam's finished hypotheses that of the largest log p / ((5 + words)^alpha /
	// 6^alpha) is taken, so 0 takes the likeliest, and larger ones favour longer outputs.
	LengthPenalty float64
	NoRepeats     bool // no word is chosen beside itself
	each          bool // keep all outputs that a search ends with, and log p of each word
}

// copies tells whether words that are not masked are the source's.
func (dec Decoding) copies() bool { return dec.Decoding.Copies() }

// choices is how many candidates a search asks the model for at each position, so that as many as
// the beam is wide may be chosen.
func (dec Decoding) choices() int {
	k := max(1, dec.Beam)
	if dec.NoRepeats {
		k += 2 // those that would repeat the word before and the one after
	}
	return k
}

// score is the length rule's (LengthPenalty), of a sentence of so many words.
func (dec Decoding) score(logp float64, words int) float64 {
	return logp / math.Pow(float64(5+words)/6, dec.LengthPenalty)
}
