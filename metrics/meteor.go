package metrics

// SentenceJudge scores each output against its references.
type SentenceJudge interface {
	// Sentences returns one score per output; references[k][i] belongs to outputs[i].
	Sentences(outputs [][]string, references ...[][]string) []float64
	// Signature describes the method in one line. references is the number of references, or
	// "source" if outputs are compared with their sources.
	Signature(references string) string
}

// meteor is the mean METEOR of the outputs against their sources, 0-1, computed by
// Instruments.METEOR.
var meteor = &Metric{
	Key: "meteor", Head: "METEOR", Decimals: 2, Better: Higher, Group: GroupContent, tested: true,
	signature: func(dirs []*measured) string {
		if dirs[0].instruments.METEOR == nil {
			return ""
		}
		return dirs[0].instruments.METEOR.Signature("source")
	},
	records: []record{{"meteor", func(m *measured) [][]float64 {
		if m.instruments.METEOR == nil {
			return nil
		}
		return single(m.instruments.METEOR.Sentences(m.Output, m.Source))
	}}},
	needs: []string{"meteor"},
	total: meanOf("meteor"),
}
