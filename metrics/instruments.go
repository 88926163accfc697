package metrics

// Instruments are what outputs are measured with, beside counting. The zero value gives all that needs nothing: BLEU, ROUGE-L, CIDEr,
// diversity and collapse.
type Instruments struct {
	Naturalness []Naturalness  // the first is that of Metrics.Naturalness and of Mean
	METEOR      SentenceJudge  // nil: no METEOR
	Embedding   EmbeddingJudge // nil: no embedding metrics
}

// Naturalness judges how much a sentence looks like one written by a person.
type Naturalness interface {
	// Score returns the probability, 0-1, that the sentence given as white-space words is human. Safe for concurrent use.
	Score(words []string) float64
	// Signature says in one line which judge this is.
	Signature() string
	// Name is short, for a column: that of a weights file without "unigram_" and extension, or "own".
	Name() string
}

// SentenceJudge compares outputs with references, one figure an output.
type SentenceJudge interface {
	// Sentences returns one figure for each output; references[k][i] belongs to outputs[i].
	Sentences(outputs [][]string, references ...[][]string) []float64
	// Signature says in one line how; references is their number, or what stands in their place ("source").
	Signature(references string) string
}

// EmbeddingJudge compares outputs with references by word vectors.
type EmbeddingJudge interface {
	// Similarities returns, for each output, the cosine of the averaged vectors, that of the vector extrema, and greedy matching.
	Similarities(outputs [][]string, references ...[][]string) (average, extrema, greedy []float64)
	// Signature is that of metric "embedding_average", "vector_extrema" or "greedy_matching".
	Signature(metric, references string) string
}

// Fluency is what an independent language model makes of the outputs of one direction.
type Fluency struct {
	LogProb   []float64 // natural logarithm of each output's probability, its end included
	Tokens    []int     // what LogProb sums over: the words and the end
	Unknown   []int     // of these the words that it does not know and scores as one, <unk>; nil: not known
	Signature string
}
