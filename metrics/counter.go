package metrics

import (
	"fmt"
	"slices"
)

// counter numbers the words and the n-grams, 1 to maxOrder words, of the sentences that are compared with each other, so that each is looked up once and what
// metrics know of it lies in a slice. Numbers begin with 1. The zero value is ready.
type counter struct {
	words map[string]int32
	grams map[uint64]int32 // by the number of the n-gram without its last word, 0 where it has one word, and that word
	full  bool             // nothing new gets a number: it is left out of terms, and such a word is newWord
	keys  [][maxOrder]int32
}

const newWord = -1

// counted is a sentence: its words' numbers and its distinct n-grams, ordered by their words' numbers, what one begins with before it.
type counted struct {
	ids   []int32
	terms []term
}

// term is an n-gram of a sentence.
type term struct {
	gram  int32
	order int32 // words
	n     int32 // times
}

// all counts sentences. Numbers are given in their order.
func (c *counter) all(sentences [][]string) []counted {
	if c.words == nil {
		c.words, c.grams = map[string]int32{}, make(map[uint64]int32, 2*maxOrder*len(sentences))
	}
	out := make([]counted, len(sentences))
	for i, words := range sentences {
		ids := make([]int32, len(words))
		for k, w := range words {
			id, ok := c.words[w]
			switch {
			case !ok && c.full:
				id = newWord
			case !ok:
				id = int32(len(c.words) + 1)
				c.words[w] = id
			}
			ids[k] = id
		}
		out[i] = c.count(ids)
	}
	return out
}

// known counts sentences by what has a number already: BLEU of outputs needs no more of their references.
func (c *counter) known(references [][][]string) [][]counted {
	c.full = true
	defer func() { c.full = false }()
	return c.sets(references)
}

// sets counts every set of references.
func (c *counter) sets(references [][][]string) [][]counted {
	out := make([][]counted, len(references))
	for k, set := range references {
		out[k] = c.all(set)
	}
	return out
}

// count counts the n-grams of a sentence whose words are numbered. What begins at each word is sorted: then equal n-grams follow each other.
func (c *counter) count(ids []int32) counted {
	c.keys = c.keys[:0]
	for i := range ids {
		var key [maxOrder]int32
		copy(key[:], ids[i:])
		c.keys = append(c.keys, key)
	}
	slices.SortFunc(c.keys, func(a, b [maxOrder]int32) int {
		for n := range maxOrder {
			if a[n] != b[n] {
				return int(a[n] - b[n])
			}
		}
		return 0
	})
	terms := make([]term, 0, maxOrder*len(ids))
	before := [maxOrder]int32{newWord - 1} // equal to nothing
	var at [maxOrder]int                   // where the terms of before are
	for _, key := range c.keys {
		prefix, same := int32(0), true
		for n, word := range key {
			if same = same && word == before[n]; !same {
				at[n] = len(terms)
				if prefix = c.number(prefix, word); prefix == 0 {
					at[n] = -1
				} else {
					terms = append(terms, term{prefix, int32(n + 1), 0})
				}
			}
			if at[n] < 0 { // here the sentence ends, or what is known of it
				break
			}
			terms[at[n]].n++
			prefix = terms[at[n]].gram
		}
		before = key
	}
	return counted{ids, terms}
}

// number returns that of an n-gram, 0 of none.
func (c *counter) number(prefix, word int32) int32 {
	if word <= 0 {
		return 0
	}
	if c.grams == nil {
		c.grams = map[uint64]int32{}
	}
	key := uint64(prefix)<<32 | uint64(word)
	number, ok := c.grams[key]
	if !ok && !c.full {
		number = int32(len(c.grams) + 1)
		c.grams[key] = number
	}
	return number
}

// size is above the greatest number of an n-gram.
func (c *counter) size() int { return len(c.grams) + 1 }

// mustMatch panics unless every reference set is as long as outputs.
func mustMatch(metric string, outputs [][]string, references [][][]string) {
	for k, set := range references {
		if len(set) != len(outputs) {
			panic(fmt.Sprintf("metrics.%s: %d outputs, %d sentences in reference set %d", metric, len(outputs), len(set), k))
		}
	}
}
