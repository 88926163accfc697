package metrics

import (
	"fmt"
)

// CharBLEUSignature says how Mean is computed. The masked line is the reference and the source
// the hypothesis, as in the authors' code; those of metrics.BLEU4 are the other way round.
const CharBLEUSignature = "bleu_char_sentence|level:sentence-mean|n:4|tok:characters,spaces|case:as-is|" +
	"smooth:method1,eps=1e-9|hyp:source|ref:masked|mask:as-written|version:1"

// charBLEUEpsilon replaces a count of no match: Chen and Cherry (2014), smoothing 1, at the
// authors' value.
const charBLEUEpsilon = 1e-9

// CharBLEU returns the mean, in percent, of the sentences' BLEU over characters: very probably the
// s-BLEU of the paper's table of attribution methods and of its figure of lambda_eps. It is what
// nltk.translate.bleu_score.sentence_bleu gives where it is handed strings in the place of lists of
// words, with SmoothingFunction(epsilon=1e-9).method1:
//
//	BLEU = BP * (p1 * p2 * p3 * p4)^(1/4),  BP = min(1, exp(1 - r/c))
//
// c is the length of the source, r that of the masked line, p_n the share of the source's runs of n
// characters that the masked line has too, each at most as often as it has it. Words are joined by
// one space, and spaces count. A p_n without any match becomes 1e-9 over its denominator, which is
// at least 1: so an unmasked line shorter than four characters is far from 100. A source without a
// single character of the masked line is 0, and so is an empty one.
//
// The mask token is spelt as the masked line spells it and its letters match those of other words:
// a longer token lowers BP. The authors write "<blank>". masked[i] belongs to source[i]; CharBLEU
// panics where their lengths differ, as BLEU4 does, and is 0 of no sentence.
func CharBLEU(masked, source [][]string) float64 {
	if len(masked) != len(source) {
		panic(fmt.Sprintf("metrics.CharBLEU: %d masked lines, %d sources", len(masked), len(source)))
	}
	if len(source) == 0 {
		return 0
	}
	sum := 0.0
	const some = 1000 // at a time, so that memory does not grow with a data set
	for from := 0; from < len(source); from += some {
		to := min(from+some, len(source))
		var c ngramCounter
		var both [2][]ngramSentence
		for i := from; i < to; i++ {
			both[0] = append(both[0], c.Count(characters(source[i])))
			both[1] = append(both[1], c.Count(characters(masked[i])))
		}
		for _, counts := range c.Match(both[0], both[1:]) {
			sum += counts.Smoothed(charBLEUEpsilon)
		}
	}
	return 100 * sum / float64(len(source))
}

// characters returns the code points of the words joined by one space, each raised by 1 since
// an ngramCounter's numbers begin with that.
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
