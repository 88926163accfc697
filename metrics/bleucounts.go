package metrics

import (
	"fmt"
)

// numbersOf are the counts of outputs as a record has them.
func numbersOf(all []bleuCounts) [][]float64 {
	numbers := make([][]float64, len(all))
	for i := range all {
		numbers[i] = numbersOfOne(&all[i])
	}
	return numbers
}

// numbersOfOne are exact: matches, totals, words, words of the reference.
func numbersOfOne(c *bleuCounts) []float64 {
	n := make([]float64, 2*maxOrder+2)
	for k := range maxOrder {
		n[k], n[maxOrder+k] = float64(c.Matches[k]), float64(c.Totals[k])
	}
	n[2*maxOrder], n[2*maxOrder+1] = float64(c.Words), float64(c.ReferenceWords)
	return n
}

// countsOf undoes numbersOfOne, also of their sums.
func countsOf(n []float64) (c bleuCounts) {
	for k := range maxOrder {
		c.Matches[k], c.Totals[k] = int(n[k]), int(n[maxOrder+k])
	}
	c.Words, c.ReferenceWords = int(n[2*maxOrder]), int(n[2*maxOrder+1])
	return c
}

// countsKind is how a record has counts.
var countsKind = kindOf(func(c bleuCounts) []float64 { return numbersOfOne(&c) }, countsOf)

// wrongCounts says what no output can have; "": nothing.
func wrongCounts(key string, numbers []float64) string {
	if numbers == nil {
		return ""
	}
	c := countsOf(numbers)
	for n := range maxOrder {
		if c.Totals[n] != max(0, c.Words-n) || c.Matches[n] < 0 || c.Matches[n] > c.Totals[n] || c.ReferenceWords < 0 {
			return fmt.Sprintf("the counts of %s do not fit each other", key)
		}
	}
	return ""
}

// sourceWords is the number of words of the source, 0 where it is not known.
func (s *Sentence) sourceWords() int {
	n := s.Numbers["s_bleu"]
	if n == nil {
		return 0
	}
	return countsOf(n).ReferenceWords
}
