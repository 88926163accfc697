package metrics

import "math"

// figure is a metric made of sums over sentences.
type figure struct {
	key       string // in Metrics' JSON, of the signature, and in Comparison
	field     func(*Metrics) **float64
	needs     known
	of        func(*totals) float64 // of at least one sentence; nil: Mean, made of other figures
	pooled    bool                  // over all outputs of both directions; else the mean of the two
	resampled bool                  // by Intervals and Compare
}

// figures are in the order of Metrics.
var figures = []figure{
	{"tst", func(m *Metrics) **float64 { return &m.TST }, knowsRight, rightPercent, true, true},
	{"s_bleu", func(m *Metrics) **float64 { return &m.SBLEU }, 0, bleuOf(colSource, 4), false, true},
	{"s_bleu_1", func(m *Metrics) **float64 { return &m.SBLEU1 }, 0, bleuOf(colSource, 1), false, false},
	{"s_bleu_2", func(m *Metrics) **float64 { return &m.SBLEU2 }, 0, bleuOf(colSource, 2), false, false},
	{"s_bleu_3", func(m *Metrics) **float64 { return &m.SBLEU3 }, 0, bleuOf(colSource, 3), false, false},
	{"r_bleu", func(m *Metrics) **float64 { return &m.RBLEU }, knowsReferences, bleuOf(colReferences, 4), false, true},
	{"r_bleu_1", func(m *Metrics) **float64 { return &m.RBLEU1 }, knowsReferences, bleuOf(colReferences, 1), false, false},
	{"r_bleu_2", func(m *Metrics) **float64 { return &m.RBLEU2 }, knowsReferences, bleuOf(colReferences, 2), false, false},
	{"r_bleu_3", func(m *Metrics) **float64 { return &m.RBLEU3 }, knowsReferences, bleuOf(colReferences, 3), false, false},
	{"meteor", func(m *Metrics) **float64 { return &m.METEOR }, knowsMETEOR, meanOf(colMETEOR), false, true},
	{"rouge_l", func(m *Metrics) **float64 { return &m.RougeL }, 0, meanOf(colRougeL), false, true},
	{"cider", func(m *Metrics) **float64 { return &m.CIDEr }, 0, meanOf(colCIDEr), false, true},
	{"embedding_average", func(m *Metrics) **float64 { return &m.EmbeddingAverage }, knowsEmbedding, meanOf(colAverage), false, true},
	{"vector_extrema", func(m *Metrics) **float64 { return &m.VectorExtrema }, knowsEmbedding, meanOf(colExtrema), false, true},
	{"greedy_matching", func(m *Metrics) **float64 { return &m.GreedyMatching }, knowsEmbedding, meanOf(colGreedy), false, true},
	{"naturalness", func(m *Metrics) **float64 { return &m.Naturalness }, knowsNaturalness, meanOf(colNaturalness), true, true},
	{"mean", func(m *Metrics) **float64 { return &m.Mean }, 0, nil, false, true},
	{"perplexity", func(m *Metrics) **float64 { return &m.Perplexity }, knowsFluency, perplexity, true, true},
	{"unknown_share", func(m *Metrics) **float64 { return &m.UnknownShare }, knowsUnknown, unknownShare, true, false},
}

func rightPercent(t *totals) float64 { return 100 * t.row[colRight] / float64(t.n) }

func meanOf(column int) func(*totals) float64 {
	return func(t *totals) float64 { return t.row[column] / float64(t.n) }
}

func bleuOf(at, n int) func(*totals) float64 {
	return func(t *totals) float64 {
		c := t.counts(at)
		return c.bleu()[n-1]
	}
}

// perplexity is exp(-sum of the log-probabilities / number of tokens).
func perplexity(t *totals) float64 { return math.Exp(-t.row[colLogProb] / t.row[colTokens]) }

// unknownShare is of the words, which are the tokens without the sentences' ends.
func unknownShare(t *totals) float64 {
	return t.row[colUnknown] / max(1, t.row[colTokens]-float64(t.n))
}

// metrics computes the figures of one direction.
func (t *totals) metrics() (m Metrics) {
	for _, f := range figures {
		if f.of != nil && t.n > 0 && t.known&f.needs == f.needs {
			v := f.of(t)
			*f.field(&m) = &v
		}
	}
	m.setMean()
	return m
}

// overall computes the figures of both directions; what one direction lacks is absent, but a direction without a sentence does not count.
func overall(dirs [2]totals) (m Metrics) {
	for k, other := range []int{1, 0} {
		if dirs[k].n == 0 {
			return dirs[other].metrics()
		}
	}
	a, b := dirs[0].metrics(), dirs[1].metrics()
	pooled := dirs[0].plus(dirs[1])
	all := pooled.metrics()
	for _, f := range figures {
		if f.of == nil {
			continue
		}
		if f.pooled {
			*f.field(&m) = *f.field(&all)
		} else {
			*f.field(&m) = middle(*f.field(&a), *f.field(&b))
		}
	}
	m.setMean()
	return m
}

// middle returns the mean of two figures, or nil where one is absent.
func middle(x, y *float64) *float64 {
	if x == nil || y == nil {
		return nil
	}
	v := (*x + *y) / 2
	return &v
}
