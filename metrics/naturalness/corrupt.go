package naturalness

import (
	"math/rand/v2"
	"slices"
)

// corrupter damages human sentences like automatic rewriting does, so that a classifier can learn
// the difference.
type corrupter struct {
	rng     *rand.Rand
	types   []int32 // every word once
	running []int32 // all words of the text, in order
}

// The type numbered holds a text whose words are numbered from 0 in order of first occurrence.
type numbered struct {
	ids       map[string]int32
	words     []string
	sentences [][]int32
}

func number(sentences [][]string) numbered {
	n := numbered{ids: map[string]int32{}}
	for _, s := range sentences {
		ids := make([]int32, len(s))
		for i, w := range s {
			id, ok := n.ids[w]
			if !ok {
				id = int32(len(n.words))
				n.ids[w] = id
				n.words = append(n.words, w)
			}
			ids[i] = id
		}
		n.sentences = append(n.sentences, ids)
	}
	return n
}

// newCorrupter returns a corrupter that draws its words from the text.
func newCorrupter(text numbered, rng *rand.Rand) *corrupter {
	c := &corrupter{rng: rng, types: make([]int32, len(text.words))}
	for i := range c.types {
		c.types[i] = int32(i)
	}
	for _, s := range text.sentences {
		c.running = append(c.running, s...)
	}
	return c
}

// word draws a word: half the time uniformly from the vocabulary, half the time by its frequency in
// the text. So neither rarity nor frequency alone gives a replacement away.
func (c *corrupter) word() int32 {
	if c.rng.IntN(2) == 0 {
		return c.types[c.rng.IntN(len(c.types))]
	}
	return c.running[c.rng.IntN(len(c.running))]
}

// corrupt returns a copy of a non-empty sentence. The copy is damaged once or twice, each time in
// one of five equally likely ways. If ten tries do not change the sentence, which is possible with
// a tiny vocabulary, corrupt returns nil.
func (c *corrupter) corrupt(sentence []int32) []int32 {
	for range 10 {
		s := slices.Clone(sentence)
		for range 1 + c.rng.IntN(2) {
			s = c.damage(s)
		}
		if len(s) > 0 && !slices.Equal(s, sentence) {
			return s
		}
	}
	return nil
}

func (c *corrupter) damage(s []int32) []int32 {
	if len(s) == 0 {
		return s
	}
	i := c.rng.IntN(len(s))
	switch c.rng.IntN(5) {
	case 0: // replace a word by a random one
		s[i] = c.word()
	case 1: // repeat a word
		s = slices.Insert(s, i, s[i])
	case 2: // swap two neighbours
		if j := i + 1; j < len(s) {
			s[i], s[j] = s[j], s[i]
		}
	case 3: // drop a word
		s = slices.Delete(s, i, i+1)
	case 4: // write the same word in one to three places
		w := c.word()
		for range 1 + c.rng.IntN(3) {
			s[c.rng.IntN(len(s))] = w
		}
	}
	return s
}
