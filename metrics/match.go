package metrics

import "math"

// Counts are what BLEU is made of; index n-1 is order n. Those of a corpus are the sums of those of
// its sentences.
type bleuCounts struct {
	// n-grams of the output that a reference has, each at most as often as there
	Matches        [maxOrder]int `json:"matches"`
	Totals         [maxOrder]int `json:"totals"`          // n-grams of the output
	Words          int           `json:"words"`           // of the output
	ReferenceWords int           `json:"reference_words"` // of the reference closest in length
}

// Add adds the counts of another sentence.
func (c *bleuCounts) Add(other bleuCounts) {
	for n := range maxOrder {
		c.Matches[n] += other.Matches[n]
		c.Totals[n] += other.Totals[n]
	}
	c.Words += other.Words
	c.ReferenceWords += other.ReferenceWords
}

// BLEU returns BLEU-1 to BLEU-4 in percent (Papineni et al. 2002; metrics.BLEU4 has the equation);
// from the first order without a match on they are 0.
func (c *bleuCounts) BLEU() (all [maxOrder]float64) {
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

// Smoothed is BLEU-4, 0-1, with epsilon in the place of each count of matches that is 0, but for
// that of order 1: Chen and Cherry (2014), smoothing 1, as NLTK's method1.
func (c *bleuCounts) Smoothed(epsilon float64) float64 {
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

// Match compares each output with its references, those of the same place in every set.
func (c *ngramCounter) Match(outputs []ngramSentence, references [][]ngramSentence) []bleuCounts {
	all := make([]bleuCounts, len(outputs))
	best := make([]int32, c.Size()) // by n-gram, in the one reference that has most of it
	for i, out := range outputs {
		closest := -1
		for _, set := range references {
			closest = closer(len(out.IDs), closest, len(set[i].IDs))
			for _, t := range set[i].Terms {
				best[t.Gram] = max(best[t.Gram], t.N)
			}
		}
		all[i] = against(&out, best, max(closest, 0))
		for _, set := range references {
			for _, t := range set[i].Terms {
				best[t.Gram] = 0
			}
		}
	}
	return all
}

// against compares a sentence with what its references have, best by n-gram.
func against(s *ngramSentence, best []int32, referenceWords int) bleuCounts {
	c := bleuCounts{Words: len(s.IDs), ReferenceWords: referenceWords}
	for _, t := range s.Terms {
		c.Totals[t.Order-1] += int(t.N)
		c.Matches[t.Order-1] += int(min(t.N, best[t.Gram]))
	}
	return c
}

// Closer returns whichever of the lengths a (-1: none yet) and b is closer to n, the shorter of two
// equally close ones.
func closer(n, a, b int) int {
	if a < 0 {
		return b
	}
	da, db := abs(a-n), abs(b-n)
	if db < da || db == da && b < a {
		return b
	}
	return a
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
