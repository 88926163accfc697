package metrics

// Naturalness is a judge of how much a sentence looks as if a human wrote it.
type Naturalness interface {
	// Score returns the probability, 0-1, that a human wrote the sentence, given as
	// whitespace-separated words. It is safe for concurrent use.
	Score(words []string) float64
	// Signature identifies the judge in one line.
	Signature() string
}

// naturalness is the mean of the scores, 0-1, that the judge gives to the outputs.
var naturalness = &Metric{
	Key: "naturalness", Head: "Nat.", Decimals: 2, Most: 1, Better: Higher, Group: GroupResults, Place: 3,
	pooled: true, tested: true,
	Note: "Nat.: naturalness, the mean probability that a human wrote the output, by a trained judge.",
	signature: func(dirs []*measured) string {
		if dirs[0].instruments.Naturalness == nil {
			return ""
		}
		return dirs[0].instruments.Naturalness.Signature()
	},
	records: []record{{"naturalness", func(m *measured) [][]float64 {
		if m.instruments.Naturalness == nil {
			return nil
		}
		values := make([]float64, len(m.Output))
		for i, words := range m.Output {
			values[i] = m.instruments.Naturalness.Score(words)
		}
		return single(values)
	}}},
	needs: []string{"naturalness"},
	total: meanOf("naturalness"),
}
