package metrics

import (
	"fmt"
	"math"

	"github.com/smlm-exp/smlm-exp/metrics/ngram"
)

// bleuCounts are what BLEU is made of; index n-1 is order n. Those of a corpus are the sums of those of its sentences.
type bleuCounts struct {
	Matches        [ngram.MaxOrder]int `json:"matches"`         // n-grams of the output that a reference has, each at most as often as there
	Totals         [ngram.MaxOrder]int `json:"totals"`          // n-grams of the output
	Words          int                 `json:"words"`           // of the output
	ReferenceWords int                 `json:"reference_words"` // of the reference closest in length
}

// add adds the counts of another sentence.
func (c *bleuCounts) add(other bleuCounts) {
	for n := range ngram.MaxOrder {
		c.Matches[n] += other.Matches[n]
		c.Totals[n] += other.Totals[n]
	}
	c.Words += other.Words
	c.ReferenceWords += other.ReferenceWords
}

// bleu returns BLEU-1 to BLEU-4 in percent; from the first order without a match on they are 0.
func (c *bleuCounts) bleu() (all [ngram.MaxOrder]float64) {
	sum := 0.0
	penalty := min(0, 1-float64(c.ReferenceWords)/float64(c.Words))
	for n := range ngram.MaxOrder {
		if c.Matches[n] == 0 {
			break
		}
		sum += math.Log(float64(c.Matches[n]) / float64(c.Totals[n]))
		all[n] = 100 * math.Exp(penalty+sum/float64(n+1))
	}
	return all
}

// smoothed is BLEU-4, 0-1, with epsilon in the place of each count of matches that is 0, but for that of order 1: Chen and Cherry (2014),
// smoothing 1, as NLTK's method1.
func (c *bleuCounts) smoothed(epsilon float64) float64 {
	if c.Matches[0] == 0 {
		return 0
	}
	sum := 0.0
	for n := range ngram.MaxOrder {
		match := float64(c.Matches[n])
		if c.Matches[n] == 0 {
			match = epsilon
		}
		sum += math.Log(match / float64(max(1, c.Totals[n])))
	}
	penalty := min(0, 1-float64(c.ReferenceWords)/float64(c.Words))
	return math.Exp(penalty + sum/ngram.MaxOrder)
}

// numbersOf are the counts of outputs as a record has them.
func numbersOf(all []bleuCounts) [][]float64 {
	numbers := make([][]float64, len(all))
	for i := range all {
		numbers[i] = all[i].numbers()
	}
	return numbers
}

// numbers are exact: matches, totals, words, words of the reference.
func (c *bleuCounts) numbers() []float64 {
	n := make([]float64, 2*ngram.MaxOrder+2)
	for k := range ngram.MaxOrder {
		n[k], n[ngram.MaxOrder+k] = float64(c.Matches[k]), float64(c.Totals[k])
	}
	n[2*ngram.MaxOrder], n[2*ngram.MaxOrder+1] = float64(c.Words), float64(c.ReferenceWords)
	return n
}

// countsOf undoes numbers, also of their sums.
func countsOf(n []float64) (c bleuCounts) {
	for k := range ngram.MaxOrder {
		c.Matches[k], c.Totals[k] = int(n[k]), int(n[ngram.MaxOrder+k])
	}
	c.Words, c.ReferenceWords = int(n[2*ngram.MaxOrder]), int(n[2*ngram.MaxOrder+1])
	return c
}

// countsKind is how a record has counts.
var countsKind = kindOf(func(c bleuCounts) []float64 { return c.numbers() }, countsOf)

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
	c := countsOf(n)
	return c.ReferenceWords
}
