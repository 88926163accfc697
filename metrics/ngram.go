package metrics

import "slices"

// interner numbers words from 1, so that n-grams are compared as integers.
type interner map[string]int32

// intern appends the numbers of words to ids.
func (in interner) intern(ids []int32, words []string) []int32 {
	for _, w := range words {
		id, ok := in[w]
		if !ok {
			id = int32(len(in) + 1)
			in[w] = id
		}
		ids = append(ids, id)
	}
	return ids
}

// gram is an n-gram of 1 to maxOrder interned words, filled up with 0.
type gram [maxOrder]int32

func (g gram) order() int {
	n := maxOrder
	for g[n-1] == 0 {
		n--
	}
	return n
}

// compare orders grams by their words' numbers.
func (g gram) compare(other gram) int { return slices.Compare(g[:], other[:]) }

// gramCounts counts the n-grams of one sentence.
type gramCounts map[gram]int

func (c gramCounts) add(ids []int32) {
	for i := range ids {
		var g gram
		for n := 0; n < maxOrder && i+n < len(ids); n++ {
			g[n] = ids[i+n]
			c[g]++
		}
	}
}
