package metrics

import (
	"math"
)

// cider is the mean CIDEr of the outputs against their sources (see the method cider). The n-gram
// weights are computed from all sources of the direction. Bootstrap resamples use the same weights.
var cider = &Metric{
	Key: "cider", Head: "CIDEr", Decimals: 2, Most: 10, Better: Higher, Group: GroupContent, tested: true,
	signature: constant(ciderSignature),
	records: []record{{"cider", func(m *measured) [][]float64 {
		return single(m.cider(m.output, m.source))
	}}},
	needs: []string{"cider"},
	total: meanOf("cider"),
}

// ciderSignature describes how CIDEr is computed.
const ciderSignature = "cider|level:sentence-mean|n:1-4|clipped|penalty:gauss,sigma=6|df:references-of-direction|scale:10|" +
	"tok:whitespace|case:as-is|dirs:mean|refs:source|version:1"

const (
	ciderSigma = 6.0  // standard deviation of the Gaussian in the length penalty
	ciderScale = 10.0 // the highest possible CIDEr
)

// cider returns the CIDEr of each output against its source, 0-10. The metric is that of
// coco-caption's cider_scorer.py, which nlg-eval uses: Vedantam et al. (2015) with the clipping and
// the length penalty that they call CIDEr-D, but without its stemming:
//
//	CIDEr = 10 * mean over n = 1..4 of
//	        sum_g min(h_g, r_g) r_g / (|h| |r|) * exp(-d^2 / (2 * 6^2))
//
// h and r are the n-gram vectors of the output and the source. The entry of n-gram g is its count
// times log(N) - log(max(1, df_g)). N is the number of sources, and df_g is the number of sources
// that have g. d is the difference between the numbers of word pairs in the output and the source.
// Since df depends on all sources, score one direction at a time. If a sentence is too short for an
// order n, that order counts as 0, so two equal sentences of three words score at most 7.5. A
// corpus of one sentence scores 0, because log N = 0.
func (c *ngramCounter) cider(outputs, sources []ngramSentence) []float64 {
	scores := make([]float64, len(outputs))
	w := c.ciderWeights(sources)
	weight := make([]float64, c.Size()) // for each n-gram, its weight in one source
	for i := range outputs {
		hyp, ref := w.vector(outputs[i].Terms), w.vector(sources[i].Terms)
		for k, t := range ref.terms {
			weight[t.Gram] = ref.weights[k]
		}
		scores[i] = ciderScale * hyp.similarity(&ref, weight)
		for _, t := range ref.terms {
			weight[t.Gram] = 0
		}
	}
	return scores
}

// ciderWeights holds log(N) - log(max(1, df_g)) for each n-gram g (see the method cider). df_g is 0
// if no source contains g.
type ciderWeights []float64

// ciderWeights counts, for each n-gram, the sources that contain it, and computes the weights.
func (c *ngramCounter) ciderWeights(sources []ngramSentence) ciderWeights {
	documents := make([]int, c.Size())
	for i := range sources {
		for _, t := range sources[i].Terms {
			documents[t.Gram]++
		}
	}
	w := make(ciderWeights, c.Size())
	logN := math.Log(float64(len(sources)))
	for gram, df := range documents {
		w[gram] = logN - math.Log(float64(max(1, df)))
	}
	return w
}

// ciderVector holds the weighted n-grams of one sentence.
type ciderVector struct {
	terms   []ngramTerm
	weights []float64         // weights[k] belongs to terms[k]
	norm    [maxOrder]float64 // norm of the weights of each order
	pairs   float64           // number of word pairs, which coco-caption uses as the length
}

// vector returns the weighted n-grams of one sentence.
func (w ciderWeights) vector(terms []ngramTerm) ciderVector {
	v := ciderVector{terms: terms, weights: make([]float64, len(terms))}
	for i, t := range terms {
		if t.Order == 2 {
			v.pairs += float64(t.N)
		}
		weight := float64(t.N) * w[t.Gram]
		v.norm[t.Order-1] += weight * weight
		v.weights[i] = weight
	}
	for n := range v.norm {
		v.norm[n] = math.Sqrt(v.norm[n])
	}
	return v
}

// similarity returns the mean over the orders of the clipped cosine with a source, 0-1, times the
// length penalty. weight[g] is the weight of n-gram g in the source, or 0 if the source lacks g.
func (v *ciderVector) similarity(ref *ciderVector, weight []float64) float64 {
	var products [maxOrder]float64
	for i, t := range v.terms {
		b := weight[t.Gram]
		products[t.Order-1] += min(v.weights[i], b) * b
	}
	sum := 0.0
	for n, p := range products {
		if p > 0 { // if p is above 0, neither norm is 0
			sum += min(1, p/(v.norm[n]*ref.norm[n])) // rounding can raise the cosine of equal sentences above 1
		}
	}
	d := v.pairs - ref.pairs
	return sum / maxOrder * math.Exp(-d*d/(2*ciderSigma*ciderSigma))
}
