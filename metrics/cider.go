package metrics

import (
	"math"
	"slices"
)

// ciderSignature says how CIDEr is computed; it takes what the references are.
const ciderSignature = "cider|level:sentence-mean|n:1-4|clipped|penalty:gauss,sigma=6|df:references-of-direction|scale:10|tok:whitespace|case:as-is|dirs:mean|refs:%s|version:1"

const (
	ciderSigma = 6.0  // of the penalty of a difference in length
	ciderScale = 10.0 // the greatest value
)

// CIDEr returns the mean over the outputs of SentenceCIDEr, 0-10, and 0 of no output.
func CIDEr(outputs [][]string, references ...[][]string) float64 {
	return mean(SentenceCIDEr(outputs, references...))
}

// SentenceCIDEr returns CIDEr, 0-10, of every output against any number of reference sets; references[k][i] belongs to outputs[i] and
// every set is as long as outputs. It is that of coco-caption's cider_scorer.py (and so of nlg-eval): Vedantam et al. (2015), with
// the clipping and the penalty of length that they call CIDEr-D, but without its stemming:
//
//	CIDEr = 10 * mean over n = 1..4 and over the references of  sum_g min(h_g, r_g) r_g / (|h| |r|) * exp(-d^2 / (2 * 6^2))
//
// h and r are the vectors of the output's and the reference's n-grams g, each entry the number of g times log(N) - log(max(1, df_g)); N
// is the number of outputs, df_g that of outputs with g in any reference; d the difference of the numbers of pairs of words. So a value
// depends on the references of the whole corpus: score one direction at a time. An n that a sentence is too short for counts
// as 0, so three equal words have 7.5 at most, and a corpus of one sentence, where log N = 0, has 0. SentenceCIDEr panics where a
// set's length differs from that of outputs.
func SentenceCIDEr(outputs [][]string, references ...[][]string) []float64 {
	mustMatch("SentenceCIDEr", outputs, references)
	c := cider{words: interner{}, documents: gramCounts{}, logN: math.Log(float64(len(outputs)))}
	counted := make([][][]ciderTerm, len(references)) // by set and sentence
	for k, set := range references {
		counted[k] = make([][]ciderTerm, len(set))
		for i, sentence := range set {
			counted[k][i] = c.count(sentence)
		}
	}
	for i := range outputs {
		c.document(counted, i)
	}
	scores := make([]float64, len(outputs))
	for i, sentence := range outputs {
		if len(references) == 0 {
			break
		}
		hyp, sum := c.vector(c.count(sentence)), 0.0
		for k := range references {
			sum += hyp.similarity(c.vector(counted[k][i]))
		}
		scores[i] = ciderScale * sum / float64(len(references))
	}
	return scores
}

// cider holds what the sentences of one corpus share.
type cider struct {
	words     interner
	documents gramCounts // document frequency
	logN      float64
	ids       []int32
	counts    gramCounts
}

// ciderTerm is one distinct n-gram of a sentence; terms stand in the order of grams, so that sums come out alike each time.
type ciderTerm struct {
	gram   gram
	weight float64 // first the number of occurrences, then that by the inverse document frequency
}

func (c *cider) count(sentence []string) []ciderTerm {
	if c.counts == nil {
		c.counts = gramCounts{}
	}
	c.ids = c.words.intern(c.ids[:0], sentence)
	clear(c.counts)
	c.counts.add(c.ids)
	terms := make([]ciderTerm, 0, len(c.counts))
	for g, n := range c.counts {
		terms = append(terms, ciderTerm{g, float64(n)})
	}
	slices.SortFunc(terms, func(a, b ciderTerm) int { return a.gram.compare(b.gram) })
	return terms
}

// document counts each n-gram of sentence i's references once.
func (c *cider) document(counted [][][]ciderTerm, i int) {
	clear(c.counts)
	for _, set := range counted {
		for _, t := range set[i] {
			c.counts[t.gram] = 1
		}
	}
	for g := range c.counts {
		c.documents[g]++
	}
}
