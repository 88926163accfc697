package metrics

// ciderSignature says how CIDEr is computed; it takes what the references are.
const ciderSignature = "cider|level:sentence-mean|n:1-4|clipped|penalty:gauss,sigma=6|df:references-of-direction|scale:10|tok:whitespace|case:as-is|dirs:mean|refs:%s|version:1"

const (
	ciderSigma = 6.0  // of the penalty of a difference in length
	ciderScale = 10.0 // the greatest value
)

// CIDEr returns the mean over the outputs of SentenceCIDEr, 0-10, and 0 of no output.
func CIDEr(outputs [][]string, references ...[][]string) float64 {
	return mean(SentenceCIDEr(outputs, references...))
}

// SentenceCIDEr returns CIDEr, 0-10, of every output against any number of reference sets; references[k][i] belongs to outputs[i] and
// every set is as long as outputs. It is that of coco-caption's cider_scorer.py (and so of nlg-eval): Vedantam et al. (2015), with
// the clipping and the penalty of length that they call CIDEr-D, but without its stemming:
//
//	CIDEr = 10 * mean over n = 1..4 and over the references of  sum_g min(h_g, r_g) r_g / (|h| |r|) * exp(-d^2 / (2 * 6^2))
//
// h and r are the vectors of the output's and the reference's n-grams g, each entry the number of g times log(N) - log(max(1, df_g)); N
// is the number of outputs, df_g that of outputs with g in any reference; d the difference of the numbers of pairs of words. So a value
// depends on the references of the whole corpus: score one direction at a time. An n that a sentence is too short for counts
// as 0, so three equal words have 7.5 at most, and a corpus of one sentence, where log N = 0, has 0. SentenceCIDEr panics where a
// set's length differs from that of outputs.
func SentenceCIDEr(outputs [][]string, references ...[][]string) []float64 {
	mustMatch("SentenceCIDEr", outputs, references)
	var c counter
	sets := c.sets(references) // first: the order of words' numbers is that of sums
	return c.cider(c.all(outputs), sets)
}

func (c *counter) cider(outputs []counted, references [][]counted) []float64 {
	scores := make([]float64, len(outputs))
	if len(references) == 0 {
		return scores
	}
	w := c.ciderWeights(references)
	weight := make([]float64, c.size()) // by n-gram of one reference
	for i := range outputs {
		hyp, sum := w.vector(outputs[i].terms), 0.0
		for _, set := range references {
			ref := w.vector(set[i].terms)
			for k, t := range ref.terms {
				weight[t.gram] = ref.weights[k]
			}
			sum += hyp.similarity(&ref, weight)
			for _, t := range ref.terms {
				weight[t.gram] = 0
			}
		}
		scores[i] = ciderScale * sum / float64(len(references))
	}
	return scores
}
