package report

import "github.com/smlm-exp/smlm-exp/metrics"

// metricColumn is one metric as a column of tables.
type metricColumn struct {
	key      string // as in the JSON of metrics.Metrics
	head     string
	decimals int
	of       func(metrics.Metrics) *float64
}

// The metrics that tables show.
var (
	colTST              = metricColumn{"tst", "TST%", 1, func(m metrics.Metrics) *float64 { return m.TST }}
	colRBLEU            = metricColumn{"r_bleu", "r-BLEU", 1, func(m metrics.Metrics) *float64 { return m.RBLEU }}
	colSBLEU            = metricColumn{"s_bleu", "s-BLEU", 1, func(m metrics.Metrics) *float64 { return m.SBLEU }}
	colNaturalness      = metricColumn{"naturalness", "Nat.", 3, func(m metrics.Metrics) *float64 { return m.Naturalness }}
	colMean             = metricColumn{"mean", "Mean", 2, func(m metrics.Metrics) *float64 { return m.Mean }}
	colPerplexity       = metricColumn{"perplexity", "PPL", 1, func(m metrics.Metrics) *float64 { return m.Perplexity }}
	colUnknownShare     = metricColumn{"unknown_share", "unk.", 3, func(m metrics.Metrics) *float64 { return m.UnknownShare }}
	colSelfBLEU         = metricColumn{"self_bleu", "self-BLEU", 1, func(m metrics.Metrics) *float64 { return m.SelfBLEU }}
	colDistinct1        = metricColumn{"distinct_1", "dist-1", 3, func(m metrics.Metrics) *float64 { return m.Distinct1 }}
	colDistinct2        = metricColumn{"distinct_2", "dist-2", 3, func(m metrics.Metrics) *float64 { return m.Distinct2 }}
	colMETEOR           = metricColumn{"meteor", "METEOR", 3, func(m metrics.Metrics) *float64 { return m.METEOR }}
	colRougeL           = metricColumn{"rouge_l", "ROUGE-L", 3, func(m metrics.Metrics) *float64 { return m.RougeL }}
	colCIDEr            = metricColumn{"cider", "CIDEr", 3, func(m metrics.Metrics) *float64 { return m.CIDEr }}
	colEmbeddingAverage = metricColumn{"embedding_average", "embedding\naverage", 3, func(m metrics.Metrics) *float64 { return m.EmbeddingAverage }}
	colVectorExtrema    = metricColumn{"vector_extrema", "vector\nextrema", 3, func(m metrics.Metrics) *float64 { return m.VectorExtrema }}
	colGreedyMatching   = metricColumn{"greedy_matching", "greedy\nmatching", 3, func(m metrics.Metrics) *float64 { return m.GreedyMatching }}
	colSBLEU1           = metricColumn{"s_bleu_1", "s-BLEU-1", 1, func(m metrics.Metrics) *float64 { return m.SBLEU1 }}
	colSBLEU2           = metricColumn{"s_bleu_2", "s-BLEU-2", 1, func(m metrics.Metrics) *float64 { return m.SBLEU2 }}
	colSBLEU3           = metricColumn{"s_bleu_3", "s-BLEU-3", 1, func(m metrics.Metrics) *float64 { return m.SBLEU3 }}
	colRBLEU1           = metricColumn{"r_bleu_1", "r-BLEU-1", 1, func(m metrics.Metrics) *float64 { return m.RBLEU1 }}
	colRBLEU2           = metricColumn{"r_bleu_2", "r-BLEU-2", 1, func(m metrics.Metrics) *float64 { return m.RBLEU2 }}
	colRBLEU3           = metricColumn{"r_bleu_3", "r-BLEU-3", 1, func(m metrics.Metrics) *float64 { return m.RBLEU3 }}
	colMaskedShare      = metricColumn{"masked_share", "masked\nwords", 3, func(m metrics.Metrics) *float64 { return m.MaskedShare }}
)

// allMetrics are all of them, in the order in which tables show them.
var allMetrics = []metricColumn{
	colTST, colRBLEU, colSBLEU, colNaturalness, colMean, colPerplexity, colUnknownShare, colSelfBLEU, colDistinct1, colDistinct2,
	colMETEOR, colRougeL, colCIDEr, colEmbeddingAverage, colVectorExtrema, colGreedyMatching,
	colSBLEU1, colSBLEU2, colSBLEU3, colRBLEU1, colRBLEU2, colRBLEU3, colMaskedShare,
}

// naturalnessBy is the naturalness that one of several judges gives; its key begins with byJudge.
func naturalnessBy(judge string) metricColumn {
	return metricColumn{byJudge + judge, "Nat.\n" + judge, 3, func(m metrics.Metrics) *float64 {
		if v, ok := m.NaturalnessBy[judge]; ok {
			return &v
		}
		return nil
	}}
}

const byJudge = "naturalness_by."

// column is the head.
func (m metricColumn) column() Column { return Column{Head: m.head, Align: Right, key: m.key} }

// cell formats the metric, Absent where it is not known.
func (m metricColumn) cell(all metrics.Metrics) Cell {
	return optional(m.of(all), func(v float64) string { return decimals(v, m.decimals) })
}
