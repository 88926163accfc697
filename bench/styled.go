package main

import (
	"math/rand/v2"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// How Styled draws sentences: in guided refill of them as many words are masked, masked further and
// restored as of Yelp's (bench/README.md).
const (
	styledWords  = .11 // of the words tell a style
	missedMasks  = .02 // of these are not masked
	wrongMasks   = .03 // of the others are
	followsWords = .5  // of the words are one of those that often follow the word before
)

// styled draws n sentences that can be told by their style, the same for the same seed: a tenth of
// the vocabulary is words of either style, common ones first, of which every third is in a sentence
// of the other style now and then, and every third often.
func styled(n int, length lengthRange, vocab int, seed uint64) styledSentences {
	rng := rand.New(rand.NewPCG(seed, 15))
	of := (vocab - corpus.NumSpecial) / 10
	neutral := newZipf(corpus.NumSpecial+2*of, vocab)
	styles := [2]zipf{
		newZipf(corpus.NumSpecial, corpus.NumSpecial+of), newZipf(corpus.NumSpecial+of, corpus.NumSpecial+2*of),
	}
	strays := [3]float64{.02, .1, .3}
	var s styledSentences
	for i := range n {
		style := i % 2
		ids, mask := make([]int64, length(rng)), make([]bool, 0, 16)
		certain := rng.IntN(len(ids)) // a word that tells the style
		for k := range ids {
			wrong := wrongMasks
			switch {
			case k == certain || rng.Float64() < styledWords:
				w := styles[style].draw(rng)
				if rng.Float64() < strays[w%3] {
					w = styles[1-style].draw(rng)
				}
				ids[k], wrong = w, 1-missedMasks
			case k > 0 && rng.Float64() < followsWords:
				ids[k] = int64(neutral.first) + (ids[k-1]*31+int64(rng.IntN(3))*17)%int64(len(neutral.cumulative))
			default:
				ids[k] = neutral.draw(rng)
			}
			mask = append(mask, rng.Float64() < wrong)
		}
		s.IDs, s.Masks, s.Styles = append(s.IDs, ids), append(s.Masks, mask), append(s.Styles, style)
	}
	return s
}
