package metrics

// EmbeddingJudge compares outputs with references by word vectors.
type EmbeddingJudge interface {
	// Similarities returns, for each output, the cosine of the averaged vectors, that of the vector
	// extrema, and greedy matching.
	Similarities(outputs [][]string, references ...[][]string) (average, extrema, greedy []float64)
	// Signature is that of metric "embedding_average", "vector_extrema" or "greedy_matching".
	Signature(metric, references string) string
}

// embeddingMetrics are the means over the outputs of their similarities to the sources, -1 to 1.
var embeddingMetrics = []*Metric{
	embeddingMetric(0, "embedding_average", "embedding\naverage"),
	embeddingMetric(1, "vector_extrema", "vector\nextrema"),
	embeddingMetric(2, "greedy_matching", "greedy\nmatching"),
}

// embeddingMetric is one of the three that an EmbeddingJudge gives.
func embeddingMetric(which int, key, head string) *Metric {
	return &Metric{
		Key: key, Head: head, Decimals: 2, Better: Higher, Group: GroupContent, tested: true,
		signature: func(dirs []*measured) string {
			if dirs[0].with.Embedding == nil {
				return ""
			}
			return dirs[0].with.Embedding.Signature(key, "source")
		},
		records: []record{{key, numberType, func(m *measured) [][]float64 {
			if m.with.Embedding == nil {
				return nil
			}
			if m.similar[which] == nil { // one call gives all three
				m.similar[0], m.similar[1], m.similar[2] = m.with.Embedding.Similarities(m.Output, m.Source)
			}
			return single(m.similar[which])
		}}},
		needs: []string{key},
		total: meanOf(key),
		wrong: func(s *Sentence) string {
			if len(s.Numbers[key]) != len(s.Numbers["embedding_average"]) {
				return "the three embedding metrics go together"
			}
			return ""
		},
	}
}
