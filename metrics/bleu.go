package metrics

import (
	"fmt"
	"math"
)

// maxOrder is the longest n-gram of BLEU-4.
const maxOrder = 4

// BLEU4 returns corpus BLEU-4 in percent of outputs against any number of reference sets; references[k][i] belongs
// to outputs[i] and every set is as long as outputs. Papineni et al. (2002) without smoothing:
//
//	BLEU = 100 * BP * (p1 * p2 * p3 * p4)^(1/4),  BP = min(1, exp(1 - r/c))
//
// p_n is the share of the outputs' n-grams found in a reference (each counted at most as often as in the one reference that has
// it most often), summed over the corpus before dividing; c the number of output words; r the sum of each
// sentence's closest reference length, of two equally close ones the shorter (as multi-bleu.perl and nlg-eval). It is 0 where an
// order has no match, so also for a corpus without any sentence of four words. Words are compared as they are.
// BLEU4 panics where a set's length differs from that of outputs: Score checks that and says it in words.
func BLEU4(outputs [][]string, references ...[][]string) float64 {
	for k, set := range references {
		if len(set) != len(outputs) {
			panic(fmt.Sprintf("metrics.BLEU4: %d outputs, %d sentences in reference set %d", len(outputs), len(set), k))
		}
	}
	var stats bleuStats
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
		stats.add(inOutput, best, len(out), max(closest, 0))
	}
	return stats.bleu()
}

// bleuStats are the sums over the corpus that BLEU is made of; index n-1 is order n.
type bleuStats struct {
	match, total       [maxOrder]int
	outWords, refWords int
}

func (s *bleuStats) add(output, best gramCounts, outWords, refWords int) {
	for g, n := range output {
		order := g.order() - 1
		s.total[order] += n
		s.match[order] += min(n, best[g])
	}
	s.outWords += outWords
	s.refWords += refWords
}

func (s *bleuStats) bleu() float64 {
	sum := 0.0
	for n := range maxOrder {
		if s.match[n] == 0 {
			return 0
		}
		sum += math.Log(float64(s.match[n]) / float64(s.total[n]))
	}
	penalty := min(0, 1-float64(s.refWords)/float64(s.outWords))
	return 100 * math.Exp(penalty+sum/maxOrder)
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
