package metrics

import "fmt"

// distinctSignature says how DistinctN is computed; it takes n.
const distinctSignature = "distinct_%[1]d|level:direction|n:%[1]d|tok:whitespace|case:as-is|over:all-%[1]d-grams|dirs:mean|version:1"

// DistinctN returns distinct-n, Li et al. (2016), 0-1: the number of different n-grams of the outputs over the number of all, n = 1 to 4. They divide
// by the number of words, which for n = 1 is the same; by n-grams, as is usual since, 1 is reached whatever the sentences' length. No n-gram crosses
// sentences. It falls as the outputs become more: compare outputs of the same sentences only. It is 0 where there is no n-gram.
func DistinctN(outputs [][]string, n int) float64 {
	if n < 1 || n > maxOrder {
		panic(fmt.Sprintf("metrics.DistinctN: n is %d, not 1 to %d", n, maxOrder))
	}
	var c counter
	return c.distinct(c.all(outputs), n)
}

func (c *counter) distinct(outputs []counted, order int) float64 {
	seen, different, total := make([]bool, c.size()), 0, 0
	for _, out := range outputs {
		for _, t := range out.terms {
			if int(t.order) != order {
				continue
			}
			if !seen[t.gram] {
				seen[t.gram] = true
				different++
			}
			total += int(t.n)
		}
	}
	return float64(different) / float64(max(1, total))
}
