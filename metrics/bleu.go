package metrics

// maxOrder is the longest n-gram of BLEU and of CIDEr.
const maxOrder = 4

// BLEU4 returns corpus BLEU-4 in percent, the last of BLEU.
func BLEU4(outputs [][]string, references ...[][]string) float64 {
	return BLEU(outputs, references...)[maxOrder-1]
}

// BLEU returns corpus BLEU-1 to BLEU-4 in percent of outputs against any number of reference sets; references[k][i] belongs
// to outputs[i] and every set is as long as outputs. BLEU-n, Papineni et al. (2002) without smoothing:
//
//	BLEU = 100 * BP * (p1 * ... * pn)^(1/n),  BP = min(1, exp(1 - r/c))
//
// p_n is the share of the outputs' n-grams found in a reference (each counted at most as often as in the one reference that has
// it most often), summed over the corpus before dividing; c the number of output words; r the sum of each
// sentence's closest reference length, of two equally close ones the shorter (as multi-bleu.perl and nlg-eval). It is 0 where an
// order up to n has no match, so BLEU-4 also for a corpus without any sentence of four words; elsewhere it is that of coco-caption's
// bleu_scorer.py, whose 1e-15 and 1e-9 (see SentenceBLEU) change less than the 8th digit. Words are compared as they are.
// BLEU panics where a set's length differs from that of outputs: Score checks that and says it in words.
func BLEU(outputs [][]string, references ...[][]string) [4]float64 {
	mustMatch("BLEU", outputs, references)
	var c counter
	var total BLEUCounts
	for _, counts := range c.bleu(c.all(outputs), c.known(references)) {
		total.sum(counts)
	}
	return total.bleu()
}

// bleu returns what BLEU is made of, of each output.
func (c *counter) bleu(outputs []counted, references [][]counted) []BLEUCounts {
	all := make([]BLEUCounts, len(outputs))
	best := make([]int32, c.size()) // by n-gram, in the one reference that has most of it
	for i, out := range outputs {
		closest := -1
		for _, set := range references {
			closest = closer(len(out.ids), closest, len(set[i].ids))
			for _, t := range set[i].terms {
				best[t.gram] = max(best[t.gram], t.n)
			}
		}
		all[i] = out.against(best, max(closest, 0))
		for _, set := range references {
			for _, t := range set[i].terms {
				best[t.gram] = 0
			}
		}
	}
	return all
}

// against compares a sentence with what its references have, best by n-gram.
func (s *counted) against(best []int32, referenceWords int) BLEUCounts {
	c := BLEUCounts{Words: len(s.ids), ReferenceWords: referenceWords}
	for _, t := range s.terms {
		c.Totals[t.order-1] += int(t.n)
		c.Matches[t.order-1] += int(min(t.n, best[t.gram]))
	}
	return c
}

// closer returns whichever of the lengths a (-1: none yet) and b is closer to n, the shorter of two equally close ones.
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
