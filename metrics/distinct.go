package metrics

import (
	"fmt"
)

// distinct1 and distinct2 are distinct-n, see counter.distinct.
var (
	distinct1 = distinctN(1, true, "")
	distinct2 = distinctN(2, false,
		"dist-2: different pairs of neighbouring words over all pairs of the outputs; the lower, the more alike.")
)

func distinctN(n int, aside bool, note string) *Metric {
	return &Metric{
		Key: fmt.Sprintf("distinct_%d", n), Head: fmt.Sprintf("dist-%d", n), Decimals: 3, Group: GroupFluency,
		Aside: aside, Note: note,
		signature: fixed(fmt.Sprintf("distinct_%[1]d|level:direction|n:%[1]d|tok:whitespace|case:as-is|"+
			"over:all-%[1]d-grams|dirs:mean|version:1", n)),
		whole: func(m ...*measured) (float64, bool) { return m[0].distinct(m[0].output, n), true },
	}
}

// distinct returns distinct-n, Li et al. (2016), 0-1: the number of different n-grams of the
// outputs over the number of all, n = 1 to 4. They divide by the number of words, which for n = 1
// is the same; by n-grams, as is usual since, 1 is reached whatever the sentences' length. No
// n-gram crosses sentences. It falls as the outputs become more: compare outputs of the same
// sentences only. It is 0 where there is no n-gram.
func (c *counter) distinct(outputs []ngramSentence, n int) float64 {
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
