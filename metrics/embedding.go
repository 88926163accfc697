package metrics

// EmbeddingJudge computes the similarity of outputs and sources from word vectors.
type EmbeddingJudge interface {
	// Similarities returns, for each output, the cosine of the average vectors, the cosine of the
	// vector extrema, and the greedy matching score.
	Similarities(outputs, sources [][]string) (average, extrema, greedy []float64)
	// Signature describes how one of the three similarities is computed. metric is its key, such as
	// "vector_extrema".
	Signature(metric string) string
}

// embeddingMetrics are the mean similarities of the outputs to their sources, -1 to 1.
var embeddingMetrics = []*Metric{
	embeddingMetric(0, "embedding_average", "embedding\naverage"),
	embeddingMetric(1, "vector_extrema", "vector\nextrema"),
	embeddingMetric(2, "greedy_matching", "greedy\nmatching"),
}

// embeddingMetric returns one of the three metrics of an EmbeddingJudge.
func embeddingMetric(index int, key, head string) *Metric {
	return &Metric{
		Key: key, Head: head, Decimals: 2, Most: 1, Better: Higher, Group: GroupContent, tested: true,
		signature: func(dirs []*measured) string {
			if dirs[0].instruments.Embedding == nil {
				return ""
			}
			return dirs[0].instruments.Embedding.Signature(key)
		},
		records: []record{{key, func(m *measured) [][]float64 {
			if m.instruments.Embedding == nil {
				return nil
			}
			if m.similar[index] == nil { // one call computes all three similarities
				m.similar[0], m.similar[1], m.similar[2] = m.instruments.Embedding.Similarities(m.Output, m.Source)
			}
			return single(m.similar[index])
		}}},
		needs: []string{key},
		total: meanOf(key),
	}
}
