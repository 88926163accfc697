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
	var total BLEUCounts
	eachBLEU(outputs, references, func(_ int, c BLEUCounts) { total.sum(c) })
	return total.bleu()
}

// eachBLEU counts sentence after sentence.
func eachBLEU(outputs [][]string, references [][][]string, take func(i int, c BLEUCounts)) {
	words := interner{}
	var out, ref []int32
	inOutput, best, inRef := gramCounts{}, gramCounts{}, gramCounts{}
	for i, sentence := range outputs {
		out = words.intern(out[:0], sentence)
		closest := -1
		clear(best)
		for _, set := range references {
			ref = words.intern(ref[:0], set[i])
			closest = closer(len(out), closest, len(ref))
			clear(inRef)
			inRef.add(ref)
			for g, n := range inRef {
				best[g] = max(best[g], n)
			}
		}
		clear(inOutput)
		inOutput.add(out)
		var c BLEUCounts
		c.add(inOutput, best, len(out), max(closest, 0))
		take(i, c)
	}
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
