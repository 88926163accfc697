package metrics

// Report is what Score finds. Its JSON is that of `smlm-exp score --json`: an absent metric is an absent key.
type Report struct {
	Metrics    Metrics           `json:"metrics"`    // both directions
	Directions [2]Direction      `json:"directions"` // in the order given
	Signatures map[string]string `json:"signatures"` // key of a metric -> how it was computed; encoding/json sorts the keys

	// Intervals are 95 % bootstrap intervals of Metrics, by key, where the caller computed them (func Intervals).
	Intervals map[string]Interval `json:"intervals,omitempty"`

	// Sentences are what Metrics was computed of, by direction; not in the JSON: WriteSentences writes them.
	Sentences [2][]Sentence `json:"-"`
}

// Metrics are the figures of one direction or of both; nil: not known. "Against the sources" compares outputs with the sentences they were
// made of; every figure of both directions is the mean of the two, but for TST, Naturalness, Perplexity and UnknownShare, which are taken over all outputs.
type Metrics struct {
	TST              *float64           `json:"tst,omitempty"`               // percent of outputs that the evaluation classifier takes for the target style
	SBLEU            *float64           `json:"s_bleu,omitempty"`            // BLEU-4 against the sources, percent
	SBLEU1           *float64           `json:"s_bleu_1,omitempty"`          // BLEU-1 to BLEU-3 against the sources
	SBLEU2           *float64           `json:"s_bleu_2,omitempty"`          //
	SBLEU3           *float64           `json:"s_bleu_3,omitempty"`          //
	RBLEU            *float64           `json:"r_bleu,omitempty"`            // BLEU-4 against the human references, percent
	RBLEU1           *float64           `json:"r_bleu_1,omitempty"`          // BLEU-1 to BLEU-3 against the human references
	RBLEU2           *float64           `json:"r_bleu_2,omitempty"`          //
	RBLEU3           *float64           `json:"r_bleu_3,omitempty"`          //
	METEOR           *float64           `json:"meteor,omitempty"`            // against the sources, 0-1
	RougeL           *float64           `json:"rouge_l,omitempty"`           // RougeL against the sources, 0-1
	CIDEr            *float64           `json:"cider,omitempty"`             // CIDEr against the sources, 0-10
	EmbeddingAverage *float64           `json:"embedding_average,omitempty"` // cosine against the sources, -1 to 1
	VectorExtrema    *float64           `json:"vector_extrema,omitempty"`    // cosine against the sources, -1 to 1
	GreedyMatching   *float64           `json:"greedy_matching,omitempty"`   // against the sources, -1 to 1
	Naturalness      *float64           `json:"naturalness,omitempty"`       // mean over the outputs, 0-1
	NaturalnessBy    map[string]float64 `json:"naturalness_by,omitempty"`    // by every judge where there are several, by its name
	Mean             *float64           `json:"mean,omitempty"`              // (TST + SBLEU + 100 Naturalness) / 3, where all three are known
	Perplexity       *float64           `json:"perplexity,omitempty"`        // of an independent language model, per token, sentence ends counted
	UnknownShare     *float64           `json:"unknown_share,omitempty"`     // share of the words, 0-1, that the language model scores as <unk>
	SelfBLEU         *float64           `json:"self_bleu,omitempty"`         // BLEU-4 of each output against all others of its direction, percent
	Distinct1        *float64           `json:"distinct_1,omitempty"`        // different words over words of the outputs, 0-1
	Distinct2        *float64           `json:"distinct_2,omitempty"`        // likewise pairs of neighbours
	MaskedShare      *float64           `json:"masked_share,omitempty"`      // share of the source's words that were masked, 0-1; ours only
}

// Direction is the report of one direction. A direction of one output has no self-BLEU.
type Direction struct {
	From string `json:"from"`
	To   string `json:"to"`
	N    int    `json:"n"` // number of outputs
	Metrics
	Collapse
}

func (m *Metrics) setMean() {
	if m.TST == nil || m.SBLEU == nil || m.Naturalness == nil {
		return
	}
	mean := (*m.TST + *m.SBLEU + 100**m.Naturalness) / 3
	m.Mean = &mean
}
