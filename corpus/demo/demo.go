// Package demo makes the demo corpus: guests' notes about the harbour town of Pellow, which does
// not exist. The word lists and templates are in words.txt, topics.txt and templates.txt. Nothing
// was taken from another corpus.
package demo

import (
	"math/rand/v2"
	"strings"
)

// Labels are the names of the two styles.
var Labels = []string{"gloomy", "cheerful"}

// Seed is the seed of the demo corpus.
const Seed = 1871

// The number of sentences per style in each split.
const (
	trainSentences = 30000
	devSentences   = 400
	TestSentences  = 200 // exported, because published outputs must have one line per test sentence
)

// Minimum and maximum length of a sentence in words. The full stop counts as a word.
const (
	minWords = 4
	maxWords = 14
)

// Corpus has the words of the sentences of each split, by style. Sentence i of Refs is the rewrite
// of sentence i of Test in the other style.
type Corpus struct {
	Train, Dev, Test, Refs [][][]string
}

// Generate makes a corpus. The same seed gives the same corpus on every machine. No sentence occurs
// twice, in any split or style. The rewrite of a sentence occurs only as the reference of a test
// sentence.
func Generate(seed uint64) *Corpus {
	c, maker := &Corpus{}, newMaker(seed)
	for style := range Labels {
		maker.decks = map[deck][]phrase{}
		test, refs := maker.sentences(TestSentences, style)
		dev, _ := maker.sentences(devSentences, style)
		train, _ := maker.sentences(trainSentences, style)
		c.Test, c.Refs = append(c.Test, test), append(c.Refs, refs)
		c.Dev, c.Train = append(c.Dev, dev), append(c.Train, train)
	}
	return c
}

// MoreSentences makes n different sentences of each style with another seed. Some of them, or their
// rewrites, may also be in the demo corpus.
func MoreSentences(n int) [][][]string {
	var more [][][]string
	maker := newMaker(Seed + 1)
	for style := range Labels {
		maker.decks = map[deck][]phrase{}
		sentences, _ := maker.sentences(n, style)
		more = append(more, sentences)
	}
	return more
}

// maker makes sentences. It deals the phrases of a list like cards from a shuffled deck: all come
// up before any of them comes up again, with few exceptions. So words without a style are equally
// frequent in both styles.
type maker struct {
	*grammar
	rng   *rand.Rand
	decks map[deck][]phrase // the phrases of each deck that have not come up yet
	used  map[string]bool   // the sentences and rewrites made so far
}

// deck identifies a deck, which holds the phrases for one slot of a template and one topic. If
// topics share a list of phrases, each topic still has its own deck.
type deck struct {
	topic *topic
	slot  string
}

func newMaker(seed uint64) *maker {
	return &maker{grammar: load(), rng: rand.New(rand.NewPCG(seed, 0)), used: map[string]bool{}}
}

// sentences makes n new sentences in a style, and their rewrites in the other style.
func (m *maker) sentences(n, style int) (sentences, rewrites [][]string) {
	for len(sentences) < n {
		s := m.sentence()
		words, other := s.render(style), s.render(1-style)
		text, rewrite := strings.Join(words, " "), strings.Join(other, " ")
		if m.used[text] || m.used[rewrite] || text == rewrite || len(words) < minWords || len(words) > maxWords {
			continue
		}
		m.used[text], m.used[rewrite] = true, true
		sentences, rewrites = append(sentences, words), append(rewrites, other)
	}
	return sentences, rewrites
}
