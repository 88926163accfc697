package metrics

import "math"

// SentenceBLEUSignature says how SentenceBLEU is computed; n is 1 to 4.
const SentenceBLEUSignature = "bleu_sentence|level:sentence|n:1-4|tok:whitespace|case:as-is|smooth:coco,1e-15/1e-9|refs:closest-length|version:1"

// What coco-caption adds to counts, so that nothing is divided by 0.
const (
	bleuTiny  = 1e-15 // to matches
	bleuSmall = 1e-9  // to totals and to the reference length
)

// SentenceBLEU returns BLEU-1 to BLEU-4 in percent of every output against its references, which are those of BLEU. It is that of
// coco-caption's bleu_scorer.py (and so of nlg-eval), with its way of smoothing:
//
//	BLEU-n = 100 * BP * prod_k ((match_k + 1e-15) / (total_k + 1e-9))^(1/n),  BP = exp(1 - 1/q) where q = (c + 1e-15) / (r + 1e-9) < 1
//
// An order without a match is thus almost 0. An order that the output is too short for is 1e-6 instead, so that BLEU-4 of three equal words is
// 3.16. SentenceBLEU panics where a set's length differs from that of outputs.
func SentenceBLEU(outputs [][]string, references ...[][]string) [][4]float64 {
	mustMatch("SentenceBLEU", outputs, references)
	all := make([][4]float64, len(outputs))
	var c counter
	for i, counts := range c.bleu(c.all(outputs), c.known(references)) {
		all[i] = counts.coco()
	}
	return all
}

// coco is bleu with coco-caption's constants.
func (c *BLEUCounts) coco() (all [maxOrder]float64) {
	penalty := 1.0
	if ratio := (float64(c.Words) + bleuTiny) / (float64(c.ReferenceWords) + bleuSmall); ratio < 1 {
		penalty = math.Exp(1 - 1/ratio)
	}
	product := 1.0
	for n := range maxOrder {
		product *= (float64(c.Matches[n]) + bleuTiny) / (float64(c.Totals[n]) + bleuSmall)
		all[n] = 100 * penalty * math.Pow(product, 1/float64(n+1))
	}
	return all
}
