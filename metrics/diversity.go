package metrics

// distinct2 is the metric distinct-2 (see ngramCounter.distinct).
var distinct2 = &Metric{
	Key: "distinct_2", Head: "dist-2", Decimals: 2, Group: GroupFluency,
	Note: "dist-2: number of different pairs of neighbouring words, divided by the number of all pairs in the outputs. Lower " +
		"means more alike.",
	signature:   constant("distinct_2|level:direction|n:2|tok:whitespace|case:as-is|over:all-2-grams|dirs:mean|version:1"),
	fromOutputs: func(m ...*measured) (float64, bool) { return m[0].distinct(m[0].output, 2), true },
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
