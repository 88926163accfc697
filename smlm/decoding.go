package smlm

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// Decoding says how outputs are chosen. With the zero value, SMLM and SMLM-FT choose the likeliest
// ordinary word at every position, and SMLM-G writes a sentence that is at most as long as its
// source.
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

	// MaxExtra is the maximum number of words that an output of SMLM-G may have beyond the length
	// of its source.
	MaxExtra int
}

// copies tells whether unmasked words are copied from the source.
func (dec Decoding) copies() bool { return dec.Decoding.Copies() }
