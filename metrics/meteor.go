package metrics

// SentenceJudge scores each output against its source.
type SentenceJudge interface {
	// Sentences returns one score per output; sources[i] belongs to outputs[i].
	Sentences(outputs, sources [][]string) []float64
	Signature() string // describes the method in one line
}

// meteor is the mean METEOR of the outputs against their sources, 0-1, computed by
// Instruments.METEOR.
var meteor = &Metric{
	Key: "meteor", Head: "METEOR", Decimals: 2, Most: 1, Better: Higher, Group: GroupContent, tested: true,
	signature: func(dirs []*measured) string {
		if dirs[0].instruments.METEOR == nil {
			return ""
		}
		return dirs[0].instruments.METEOR.Signature()
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
