package metrics

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// maxOrder is the length of the longest n-gram, in BLEU and CIDEr.
const maxOrder = 4

// ngramCounter assigns numbers, from 1, to the words and n-grams (1 to maxOrder words) of the
// sentences that are compared. Each word and n-gram is looked up only once. Metrics then store
// their data about n-grams in slices, indexed by number. The zero value is ready to use.
type ngramCounter struct {
	words map[string]int32
	grams map[uint64]int32 // key: number of the n-gram without its last word (0 for one word) << 32 | last word
	full  bool             // if set, no new numbers are assigned, and new words become newWord
	keys  [][maxOrder]int32
}

const newWord = -1

// ngramSentence holds a sentence's word numbers and its distinct n-grams. The n-grams are sorted by
// their word numbers, with prefixes first.
type ngramSentence struct {
	IDs   []int32
	Terms []ngramTerm
}

// ngramTerm is an n-gram of a sentence.
type ngramTerm struct {
	Gram  int32
	Order int32 // number of words
	N     int32 // number of occurrences
}

// All returns the n-grams of each sentence, with their counts. It assigns numbers to new words in
// the order in which they occur.
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

// Known returns the result of All for every reference set, but skips n-grams that have no number
// yet. BLEU does not need the skipped n-grams: the outputs were counted before, so no output
// contains them.
func (c *ngramCounter) Known(references [][][]string) [][]ngramSentence {
	c.full = true
	defer func() { c.full = false }()
	return lists.Map(references, c.All)
}

// Count returns the n-grams of a sentence, given as word numbers, with their counts. To count them,
// it sorts the positions of the sentence by the words that follow, so that equal n-grams are
// adjacent.
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
	previous := [maxOrder]int32{newWord - 1} // no word has this number
	var index [maxOrder]int                  // terms[index[n]] is the n-gram of the first n+1 words of previous
	for _, key := range c.keys {
		prefix, same := int32(0), true
		for n, word := range key {
			if same = same && word == previous[n]; !same {
				index[n] = len(terms)
				if prefix = c.number(prefix, word); prefix == 0 {
					index[n] = -1
				} else {
					terms = append(terms, ngramTerm{prefix, int32(n + 1), 0})
				}
			}
			if index[n] < 0 { // the sentence ends here, or the n-gram has no number
				break
			}
			terms[index[n]].N++
			prefix = terms[index[n]].Gram
		}
		previous = key
	}
	return ngramSentence{ids, terms}
}

// number returns the number of an n-gram, or 0 if the n-gram has none.
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

// Size returns a number that is greater than the id of any n-gram.
func (c *ngramCounter) Size() int { return len(c.grams) + 1 }
