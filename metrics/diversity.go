package metrics

import (
	"fmt"
	"slices"
)

// selfBLEU is the metric self-BLEU (see ngramCounter.selfBLEU). It needs at least two outputs in a
// direction.
var selfBLEU = &Metric{
	Key: "self_bleu", Head: "self-BLEU", Decimals: 1, Group: GroupFluency,
	Note: "self-BLEU: BLEU-4 of each output against all others of its direction. Higher means more alike.",
	signature: whereAny(
		func(m *measured) bool { return len(m.Output) > 1 },
		constant("self_bleu|level:sentence-mean|n:4|tok:whitespace|case:as-is|smooth:method1,eps=0.1|"+
			"refs:all-other-outputs-of-direction,closest-length|dirs:mean|version:1"),
	),
	fromOutputs: func(m ...*measured) (float64, bool) {
		return 100 * average(m[0].selfBLEU(m[0].output)), len(m[0].Output) > 1
	},
}

// selfBLEUEpsilon replaces match counts of 0. It is the default of NLTK's SmoothingFunction, which
// Texygen uses.
const selfBLEUEpsilon = 0.1

// selfBLEU returns, for each output, the sentence BLEU-4 against all other outputs, 0-1. Self-BLEU
// (Zhu et al. 2018, Texygen) is the mean of these:
//
//	BLEU = BP * (p1 * p2 * p3 * p4)^(1/4),  BP = min(1, exp(1 - r/c))
//
// c is the length of the output. Among the other outputs, r is the length closest to c, or the
// shorter of two that are equally close. A match count of 0 is replaced by 0.1, as in NLTK's
// sentence_bleu with SmoothingFunction().method1. A high value is bad: the outputs resemble each
// other. An output that shares no word with the others scores 0. With fewer than two outputs, all
// scores are 0.
//
// The function does not compare all pairs. For every n-gram, it keeps the two highest counts in any
// output: whichever output is scored, one of these two is the highest count among the other
// outputs.
func (c *ngramCounter) selfBLEU(outputs []ngramSentence) []float64 {
	scores := make([]float64, len(outputs))
	if len(outputs) < 2 {
		return scores
	}
	highest := make([]topTwo, c.Size())
	for i, out := range outputs {
		for _, t := range out.Terms {
			highest[t.Gram] = highest[t.Gram].updated(int32(i), t.N)
		}
	}
	lengths := newLengths(outputs)
	for i, out := range outputs {
		counts := bleuCounts{Words: len(out.IDs), ReferenceWords: lengths.closest(len(out.IDs))}
		for _, t := range out.Terms {
			counts.Totals[t.Order-1] += int(t.N)
			counts.Matches[t.Order-1] += int(min(t.N, highest[t.Gram].highestExcept(int32(i))))
		}
		scores[i] = counts.Smoothed(selfBLEUEpsilon)
	}
	return scores
}

// topTwo holds the two highest counts that an n-gram has in any sentence. owner is the index of the
// sentence with the highest count.
type topTwo struct{ first, second, owner int32 }

// The method updated returns the two highest counts after one more sentence. The sentence has the
// index owner and contains the n-gram n times.
func (t topTwo) updated(owner, n int32) topTwo {
	if n > t.first {
		return topTwo{first: n, second: t.first, owner: owner}
	}
	t.second = max(t.second, n)
	return t
}

// highestExcept returns the highest count among all sentences except i.
func (t topTwo) highestExcept(i int32) int32 {
	if t.owner == i {
		return t.second
	}
	return t.first
}

// lengths holds the sorted lengths of at least two sentences.
type lengths []int

func newLengths(sentences []ngramSentence) lengths {
	l := make(lengths, len(sentences))
	for i, s := range sentences {
		l[i] = len(s.IDs)
	}
	slices.Sort(l)
	return l
}

// The method closest returns the length that is closest to n after one sentence of length n has
// been left out. There must be such a sentence. If two lengths are equally close, it returns the
// shorter.
func (l lengths) closest(n int) int {
	index, _ := slices.BinarySearch(l, n)
	closest := -1
	if index > 0 {
		closest = l[index-1]
	}
	if index+1 < len(l) {
		closest = closer(n, closest, l[index+1])
	}
	return closest
}

// distinct1 and distinct2 are the metrics distinct-1 and distinct-2 (see ngramCounter.distinct).
var (
	distinct1 = distinctN(1, true, "")
	distinct2 = distinctN(2, false,
		"dist-2: number of different pairs of neighbouring words, divided by the number of all pairs in the outputs. Lower "+
			"means more alike.")
)

func distinctN(n int, aside bool, note string) *Metric {
	return &Metric{
		Key: fmt.Sprintf("distinct_%d", n), Head: fmt.Sprintf("dist-%d", n), Decimals: 2, Group: GroupFluency,
		Detail: aside, Note: note,
		signature: constant(fmt.Sprintf("distinct_%[1]d|level:direction|n:%[1]d|tok:whitespace|case:as-is|"+
			"over:all-%[1]d-grams|dirs:mean|version:1", n)),
		fromOutputs: func(m ...*measured) (float64, bool) { return m[0].distinct(m[0].output, n), true },
	}
}

// distinct returns distinct-n (Li et al. 2016), 0-1, for n = 1 to 4: the number of different
// n-grams of the outputs divided by the number of all n-grams, or 0 if there is no n-gram. Li et
// al. divide by the number of words instead, which is the same for n = 1. Later work usually
// divides by the number of n-grams, so that the value can reach 1 for any sentence length. N-grams
// do not cross sentences. The value falls as the number of outputs grows, so compare only outputs
// of the same sentences.
func (c *ngramCounter) distinct(outputs []ngramSentence, n int) float64 {
	seen, different, total := make([]bool, c.Size()), 0, 0
	for _, out := range outputs {
		for _, t := range out.Terms {
			if int(t.Order) != n {
				continue
			}
			if !seen[t.Gram] {
				seen[t.Gram] = true
				different++
			}
			total += int(t.N)
		}
	}
	return float64(different) / float64(max(1, total))
}
