package metrics

import "math"

// BLEUCounts are what BLEU is made of; index n-1 is order n. Those of a corpus are the sums of those of its sentences.
type BLEUCounts struct {
	Matches        [maxOrder]int `json:"matches"`         // n-grams of the output that a reference has, each at most as often as there
	Totals         [maxOrder]int `json:"totals"`          // n-grams of the output
	Words          int           `json:"words"`           // of the output
	ReferenceWords int           `json:"reference_words"` // of the reference closest in length
}

// sum adds the counts of another sentence.
func (c *BLEUCounts) sum(other BLEUCounts) {
	for n := range maxOrder {
		c.Matches[n] += other.Matches[n]
		c.Totals[n] += other.Totals[n]
	}
	c.Words += other.Words
	c.ReferenceWords += other.ReferenceWords
}

// bleu returns BLEU-1 to BLEU-4 in percent; from the first order without a match on they are 0.
func (c *BLEUCounts) bleu() (all [maxOrder]float64) {
	sum := 0.0
	penalty := min(0, 1-float64(c.ReferenceWords)/float64(c.Words))
	for n := range maxOrder {
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
func (c *BLEUCounts) smoothed(epsilon float64) float64 {
	if c.Matches[0] == 0 {
		return 0
	}
	sum := 0.0
	for n := range maxOrder {
		match := float64(c.Matches[n])
		if c.Matches[n] == 0 {
			match = epsilon
		}
		sum += math.Log(match / float64(max(1, c.Totals[n])))
	}
	penalty := min(0, 1-float64(c.ReferenceWords)/float64(c.Words))
	return math.Exp(penalty + sum/maxOrder)
}
