package corpus

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// MaskToken is how a masked word is written in text.
const MaskToken = "<mask>"

// Masked returns the words with a token in the places of those that are masked.
func Masked(words Sentence, masks []bool, token string) Sentence {
	out := slices.Clone(words)
	for k, on := range masks {
		if on {
			out[k] = token
		}
	}
	return out
}

// CheckWords refuses a sentence with a word spelt like a special token, but for <unk>, which some
// corpora have: a model would learn to write <mask> itself, and take the others for unknown words.
func CheckWords(words Sentence) error {
	for _, w := range words {
		if w[0] == '<' && w != specials[UnkID] && slices.Contains(specials[:], w) {
			return userr.New(
				userr.BadInput, "the line has the word %q, which only the models may place: write it otherwise", w,
			)
		}
	}
	return nil
}

// checkWords names the file and line of what CheckWords refuses.
func checkWords(path string, sentences []Sentence) error {
	for i, words := range sentences {
		if err := CheckWords(words); err != nil {
			return userr.New(userr.BadInput, "%s:%d: %w", path, i+1, err)
		}
	}
	return nil
}
