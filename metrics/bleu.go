package metrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// sBLEU and rBLEU are corpus BLEU-4 in percent: sBLEU against the sources, rBLEU against the
// references, rBLEUAll against several reference sets.
var (
	sBLEU = bleuMetric("s_bleu", "s-BLEU", "the sources", 2,
		constant("source"),
		func(m *measured) [][]float64 { return numbersOf(m.Match(m.output, [][]ngramSentence{m.source})) })
	rBLEU = bleuMetric("r_bleu", "r-BLEU", "the references", 1, setsOf((*Input).references), func(m *measured) [][]float64 {
		if len(m.References) == 0 {
			return nil
		}
		return numbersOf(m.Match(m.output, m.references))
	})
	rBLEUAll = bleuMetric("r_bleu_all", "r-BLEU\nall", "several references", 1, setsOf((*Input).allReferences),
		func(m *measured) [][]float64 {
			if len(m.AllReferences) == 0 {
				return nil
			}
			return numbersOf(m.Match(m.output, m.allReferences))
		})
)

func (in *Input) references() [][][]string    { return in.References }
func (in *Input) allReferences() [][][]string { return in.AllReferences }

// bleuMetric returns the metric BLEU-4 with the given key. The parameter against describes the
// references in the note below a table. The function references returns the part of the signature
// that describes the references, or "" if there are none.
func bleuMetric(
	key, head, against string, place int, references func([]*measured) string, counts func(*measured) [][]float64,
) *Metric {
	return &Metric{
		Key: key, Head: head, Decimals: 1, Most: 100, Better: Higher, Group: GroupResults, Place: place, tested: true,
		Note: fmt.Sprintf("%s: BLEU-4 of the outputs against %s.", strings.ReplaceAll(head, "\n", " "), against),
		signature: func(dirs []*measured) string {
			if refs := references(dirs); refs != "" {
				return BLEUSignature(refs)
			}
			return ""
		},
		records: []record{{key, counts}},
		needs:   []string{key},
		total: func(t *totals) float64 {
			c := countsOf(t.numbers(key))
			return c.BLEU()
		},
	}
}

// setsOf returns a function that formats the number of reference sets for a signature. The result
// is one number if all directions have equally many sets, else one number for each direction.
// Without references, the result is "".
func setsOf(sets func(*Input) [][][]string) func(dirs []*measured) string {
	return func(dirs []*measured) string {
		numbers := lists.Map(dirs, func(m *measured) string { return strconv.Itoa(len(sets(m.Input))) })
		switch different := lists.AddOnce(nil, numbers...); {
		case len(different) > 1:
			return strings.Join(numbers, ",")
		case different[0] == "0":
			return ""
		default:
			return different[0]
		}
	}
}

// BLEUSignature describes how corpus BLEU-4 is computed. references is the number of references, or
// "source" if outputs are compared with their sources.
func BLEUSignature(references string) string {
	return "bleu4|level:corpus|n:4|tok:whitespace|case:as-is|smooth:none|dirs:mean|refs:" + references + "|version:1"
}

// BLEU4 returns corpus BLEU-4, in percent, of outputs against any number of reference sets.
// references[k][i] belongs to outputs[i], and every set is as long as outputs. BLEU-4 is computed
// as by Papineni et al. (2002), without smoothing:
//
//	BLEU = 100 * BP * (p1 * p2 * p3 * p4)^(1/4),  BP = min(1, exp(1 - r/c))
//
// p_n is the share of the outputs' n-grams found in a reference, summed over the corpus before
// dividing. Each n-gram counts at most as often as in the reference that has it most often. c is
// the number of output words. r is the sum, over the outputs, of the length of the reference that
// is closest in length to the output (the shorter of two that are equally close, as in
// multi-bleu.perl and nlg-eval). BLEU-4 is 0 if an order has no match, for example in a corpus in
// which no sentence has four words. Otherwise it equals coco-caption's bleu_scorer.py, whose
// constants 1e-15 and 1e-9 change only digits after the 8th. Words are compared as they are. BLEU4
// panics if a set and outputs differ in length; Score checks the lengths and returns an error.
func BLEU4(outputs [][]string, references ...[][]string) float64 {
	total := corpusCounts(outputs, references)
	return total.BLEU()
}

// corpusCounts returns the counts of all outputs together.
func corpusCounts(outputs [][]string, references [][][]string) (total bleuCounts) {
	for k, set := range references {
		if len(set) != len(outputs) {
			panic(fmt.Sprintf("metrics.BLEU4: %d outputs, %d sentences in reference set %d", len(outputs), len(set), k))
		}
	}
	var c ngramCounter
	for _, counts := range c.Match(c.All(outputs), c.Known(references)) {
		total.Add(counts)
	}
	return total
}

// bleuCounts are the counts that BLEU is computed from; index n-1 is order n. The counts of a
// corpus are the sums over its sentences.
type bleuCounts struct {
	// n-grams of the output that are also in a reference; each counts at most as often as in the
	// reference that has it most often
	Matches        [maxOrder]int
	Totals         [maxOrder]int // n-grams of the output
	Words          int           // length of the output
	ReferenceWords int           // length of the reference closest in length
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

// BLEU returns BLEU-4 in percent (see BLEU4 for the equation), or 0 if an order has no match.
func (c *bleuCounts) BLEU() float64 {
	sum := 0.0
	for n := range maxOrder {
		if c.Matches[n] == 0 {
			return 0
		}
		sum += math.Log(float64(c.Matches[n]) / float64(c.Totals[n]))
	}
	penalty := min(0, 1-float64(c.ReferenceWords)/float64(c.Words))
	return 100 * math.Exp(penalty+sum/maxOrder)
}

// Smoothed returns BLEU-4 as a number from 0 to 1. It replaces match counts of 0 by epsilon, which
// is smoothing 1 of Chen and Cherry (2014) and NLTK's method1. If no single word matches, the
// result is 0.
func (c *bleuCounts) Smoothed() float64 {
	const epsilon = 1e-9 // as in the code of the paper's authors
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

// Match returns the counts of each output, compared with its references. Each element of references
// is a set with one reference for each output.
func (c *ngramCounter) Match(outputs []ngramSentence, references [][]ngramSentence) []bleuCounts {
	counts := make([]bleuCounts, len(outputs))
	best := make([]int32, c.Size()) // for each n-gram, its highest count in any one reference
	for i, out := range outputs {
		closest := -1
		for _, set := range references {
			closest = closer(len(out.IDs), closest, len(set[i].IDs))
			for _, t := range set[i].Terms {
				best[t.Gram] = max(best[t.Gram], t.N)
			}
		}
		counts[i] = countMatches(&out, best, max(closest, 0))
		for _, set := range references {
			for _, t := range set[i].Terms {
				best[t.Gram] = 0
			}
		}
	}
	return counts
}

// countMatches counts a sentence's matches. best[g] is the highest count of n-gram g in any one
// reference.
func countMatches(s *ngramSentence, best []int32, referenceWords int) bleuCounts {
	c := bleuCounts{Words: len(s.IDs), ReferenceWords: referenceWords}
	for _, t := range s.Terms {
		c.Totals[t.Order-1] += int(t.N)
		c.Matches[t.Order-1] += int(min(t.N, best[t.Gram]))
	}
	return c
}

// The function closer returns whichever of the lengths a and b is closer to n, or the shorter one
// if both are equally close. If a is -1, it returns b.
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

// numbersOf converts the counts of each output to a row of numbers.
func numbersOf(counts []bleuCounts) [][]float64 {
	numbers := make([][]float64, len(counts))
	for i := range counts {
		numbers[i] = numbersOfOne(&counts[i])
	}
	return numbers
}

// numbersOfOne returns all counts as numbers, in this order: matches, totals, words, reference
// words.
func numbersOfOne(c *bleuCounts) []float64 {
	n := make([]float64, 2*maxOrder+2)
	for k := range maxOrder {
		n[k], n[maxOrder+k] = float64(c.Matches[k]), float64(c.Totals[k])
	}
	n[2*maxOrder], n[2*maxOrder+1] = float64(c.Words), float64(c.ReferenceWords)
	return n
}

// countsOf is the inverse of numbersOfOne. It also accepts the sums of such numbers over several
// outputs.
func countsOf(n []float64) (c bleuCounts) {
	for k := range maxOrder {
		c.Matches[k], c.Totals[k] = int(n[k]), int(n[maxOrder+k])
	}
	c.Words, c.ReferenceWords = int(n[2*maxOrder]), int(n[2*maxOrder+1])
	return c
}

// sourceWords returns the number of words of the source, or 0 if this number is unknown.
func (s *Sentence) sourceWords() int {
	n := s.Numbers["s_bleu"]
	if n == nil {
		return 0
	}
	return countsOf(n).ReferenceWords
}
