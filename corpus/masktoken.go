package corpus

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// MaskToken is how a masked word is written in text.
const MaskToken = "<mask>"

// checkWords refuses sentences with a word spelt like a special token, but for <unk>, which some
// corpora have: a model would learn to write <mask> itself, and take the others for unknown words.
func checkWords(path string, sentences []Sentence) error {
	for i, words := range sentences {
		for _, w := range words {
			if w[0] == '<' && w != specials[UnkID] && slices.Contains(specials[:], w) {
				return userr.New(
					userr.BadInput,
					"%s:%d: the line has the word %q, which only the models may place: write it otherwise", path, i+1, w,
				)
			}
		}
	}
	return nil
}
