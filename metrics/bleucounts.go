package metrics

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/metrics/ngram"
)

// numbersOf are the counts of outputs as a record has them.
func numbersOf(all []ngram.Counts) [][]float64 {
	numbers := make([][]float64, len(all))
	for i := range all {
		numbers[i] = numbersOfOne(&all[i])
	}
	return numbers
}

// numbersOfOne are exact: matches, totals, words, words of the reference.
func numbersOfOne(c *ngram.Counts) []float64 {
	n := make([]float64, 2*ngram.MaxOrder+2)
	for k := range ngram.MaxOrder {
		n[k], n[ngram.MaxOrder+k] = float64(c.Matches[k]), float64(c.Totals[k])
	}
	n[2*ngram.MaxOrder], n[2*ngram.MaxOrder+1] = float64(c.Words), float64(c.ReferenceWords)
	return n
}

// countsOf undoes numbersOfOne, also of their sums.
func countsOf(n []float64) (c ngram.Counts) {
	for k := range ngram.MaxOrder {
		c.Matches[k], c.Totals[k] = int(n[k]), int(n[ngram.MaxOrder+k])
	}
	c.Words, c.ReferenceWords = int(n[2*ngram.MaxOrder]), int(n[2*ngram.MaxOrder+1])
	return c
}

// countsKind is how a record has counts.
var countsKind = kindOf(func(c ngram.Counts) []float64 { return numbersOfOne(&c) }, countsOf)

// wrongCounts says what no output can have; "": nothing.
func wrongCounts(key string, numbers []float64) string {
	if numbers == nil {
		return ""
	}
	c := countsOf(numbers)
	for n := range ngram.MaxOrder {
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
