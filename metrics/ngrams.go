package metrics

import "slices"

// maxOrder is the longest n-gram, that of BLEU and of CIDEr.
const maxOrder = 4

// ngramCounter numbers the words and the n-grams, 1 to maxOrder words, of the sentences that are
// compared with each other, so that each is looked up once and what metrics know of it lies in a
// slice. Numbers begin with 1. The zero value is ready.
type ngramCounter struct {
	words map[string]int32
	grams map[uint64]int32 // by the number of the n-gram without its last word, 0 where it has one word, and that word
	full  bool             // nothing new gets a number: it is left out of terms, and such a word is newWord
	keys  [][maxOrder]int32
}

const newWord = -1

// ngramSentence is a sentence: its words' numbers and its distinct n-grams, ordered by their words'
// numbers, what one begins with before it.
type ngramSentence struct {
	IDs   []int32
	Terms []ngramTerm
}

// ngramTerm is an n-gram of a sentence.
type ngramTerm struct {
	Gram  int32
	Order int32 // words
	N     int32 // times
}

// allMetrics counts sentences. Numbers are given in their order.
func (c *ngramCounter) All(sentences [][]string) []ngramSentence {
	if c.words == nil {
		c.words, c.grams = map[string]int32{}, make(map[uint64]int32, 2*maxOrder*len(sentences))
	}
	out := make([]ngramSentence, len(sentences))
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
		out[i] = c.Count(ids)
	}
	return out
}

// Known counts sentences by what has a number already: BLEU of outputs needs no more of their
// references.
func (c *ngramCounter) Known(references [][][]string) [][]ngramSentence {
	c.full = true
	defer func() { c.full = false }()
	return c.Sets(references)
}

// Sets counts every set of references.
func (c *ngramCounter) Sets(references [][][]string) [][]ngramSentence {
	out := make([][]ngramSentence, len(references))
	for k, set := range references {
		out[k] = c.All(set)
	}
	return out
}

// Count counts the n-grams of a sentence whose words are numbered. What begins at each word is
// sorted: then equal n-grams follow each other.
func (c *ngramCounter) Count(ids []int32) ngramSentence {
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
	terms := make([]ngramTerm, 0, maxOrder*len(ids))
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
					terms = append(terms, ngramTerm{prefix, int32(n + 1), 0})
				}
			}
			if at[n] < 0 { // here the sentence ends, or what is known of it
				break
			}
			terms[at[n]].N++
			prefix = terms[at[n]].Gram
		}
		before = key
	}
	return ngramSentence{ids, terms}
}

// number returns that of an n-gram, 0 of none.
func (c *ngramCounter) number(prefix, word int32) int32 {
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

// Size is above the greatest number of an n-gram.
func (c *ngramCounter) Size() int { return len(c.grams) + 1 }
