// Package demo makes the demo corpus: guests' notes about the harbour town of Pellow, which does
// not exist, in two styles, gloomy and cheerful. A seed and the grammar in this package's tables
// make every sentence; nothing is read from disk and nothing was taken from another corpus.
package demo

import (
	"math/rand/v2"
	"strings"
)

// Seed is the seed of the corpus that ships.
const Seed = 1871

// Sentences of each style.
const (
	trainSize = 4000
	devSize   = 400
	testSize  = 200
)

// Shortest and longest sentence, in words with the full stop.
const (
	minWords = 6
	maxWords = 14
)

// Labels are the names of styles 0 and 1.
var Labels = []string{"gloomy", "cheerful"}

// Corpus is what Generate makes: sentences as words, by style. Refs[k][i] is Test[k][i] in the
// other style.
type Corpus struct {
	Train, Dev, Test, Refs [][][]string
}

// Generate makes the corpus of a seed: the same on every machine. No sentence occurs twice, in
// whatever split or style, and no sentence has its rewrite anywhere but among the references.
func Generate(seed uint64) *Corpus {
	fresh := fresh(seed)
	n := len(Labels)
	c := &Corpus{
		Train: make([][][]string, n), Dev: make([][][]string, n),
		Test: make([][][]string, n), Refs: make([][][]string, n),
	}
	for style := range Labels {
		for range testSize {
			s, r := fresh(style)
			c.Test[style], c.Refs[style] = append(c.Test[style], s), append(c.Refs[style], r)
		}
		for range devSize {
			s, _ := fresh(style)
			c.Dev[style] = append(c.Dev[style], s)
		}
		for range trainSize {
			s, _ := fresh(style)
			c.Train[style] = append(c.Train[style], s)
		}
	}
	return c
}

// More makes n more sentences of each style by another seed, none twice. They may be sentences of
// the corpus of Seed, or their rewrites.
func More(n int) [][][]string {
	more, fresh := make([][][]string, len(Labels)), fresh(Seed+1)
	for style := range Labels {
		for range n {
			s, _ := fresh(style)
			more[style] = append(more[style], s)
		}
	}
	return more
}

// fresh returns what makes sentences of a seed with their rewrites, of which none comes again.
func fresh(seed uint64) func(style int) (sentence, rewrite []string) {
	g := newGrammar()
	rng := rand.New(rand.NewPCG(seed, 0))
	seen := make(map[string]bool)
	return func(style int) (sentence, rewrite []string) { // the grammar has pairs: gloomy, cheerful
		for {
			d := g.derive(rng)
			sentence, rewrite = d.render(style), d.render(1-style)
			text, other := strings.Join(sentence, " "), strings.Join(rewrite, " ")
			if text == other || seen[text] || seen[other] || !fits(sentence) || !fits(rewrite) {
				continue
			}
			seen[text], seen[other] = true, true
			return sentence, rewrite
		}
	}
}

func fits(words []string) bool { return len(words) >= minWords && len(words) <= maxWords }
