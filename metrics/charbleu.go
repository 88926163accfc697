package metrics

import (
	"fmt"
)

// CharBLEUSignature describes how CharBLEU is computed. A masked line is a source in which a mask
// token replaces some words. As in the code of the paper's authors, the masked line is the
// reference and the source is the hypothesis. The metric s-BLEU does the opposite: there, the
// source is the reference.
const CharBLEUSignature = "bleu_char_sentence|level:sentence-mean|n:4|tok:characters,spaces|case:as-is|" +
	"smooth:method1,eps=1e-9|hyp:source|ref:masked|mask:as-written|version:1"

// CharBLEU returns the mean sentence BLEU over characters, in percent. Where the paper compares
// attribution methods (in a table) and values of lambda_eps (in a figure), its s-BLEU is very
// probably this score. CharBLEU equals nltk.translate.bleu_score.sentence_bleu with
// SmoothingFunction(epsilon=1e-9).method1, called with strings instead of lists of words:
//
//	BLEU = BP * (p1 * p2 * p3 * p4)^(1/4),  BP = min(1, exp(1 - r/c))
//
// c is the length of the source and r the length of the masked line. p_n is the clipped share of
// the source's character n-grams that the masked line also has. Words are joined by one space, and
// spaces count. If p_n has no match, its numerator becomes 1e-9. The denominator of p_n is at least
// 1. So a line of fewer than four characters scores far below 100, even without a mask. A source
// that is empty or shares no character with the masked line scores 0.
//
// The mask token is compared letter by letter: its letters can match letters of the source, and a
// longer token lowers BP. The authors' token is "<blank>". masked[i] belongs to source[i]. CharBLEU
// panics if masked and source differ in length. It returns 0 for no sentences.
func CharBLEU(masked, source [][]string) float64 {
	if len(masked) != len(source) {
		panic(fmt.Sprintf("metrics.CharBLEU: %d masked lines, %d sources", len(masked), len(source)))
	}
	if len(source) == 0 {
		return 0
	}
	sum := 0.0
	const perPass = 1000 // number of sentences counted together; the limit saves memory
	for from := 0; from < len(source); from += perPass {
		to := min(from+perPass, len(source))
		var c ngramCounter
		var counted [2][]ngramSentence
		for i := from; i < to; i++ {
			counted[0] = append(counted[0], c.Count(characters(source[i])))
			counted[1] = append(counted[1], c.Count(characters(masked[i])))
		}
		for _, counts := range c.Match(counted[0], counted[1:]) {
			sum += counts.Smoothed()
		}
	}
	return 100 * sum / float64(len(source))
}

// characters joins the words by one space and returns the code points of the result. 1 is added to
// each code point, because the numbers of an ngramCounter begin with 1.
func characters(words []string) (ids []int32) {
	for i, w := range words {
		if i > 0 {
			ids = append(ids, ' '+1)
		}
		for _, r := range w {
			ids = append(ids, r+1)
		}
	}
	return ids
}
