package metrics

import "math"

// ciderWeights are log(N) - log(max(1, df)) by n-gram. A word of an output that no reference has counts as one of a single document.
type ciderWeights []float64

// ciderWeights counts in how many outputs' references each n-gram is.
func (c *counter) ciderWeights(references [][]counted) ciderWeights {
	documents, last := make([]int, c.size()), make([]int, c.size())
	for i := range references[0] {
		for _, set := range references {
			for _, t := range set[i].terms {
				if last[t.gram] != i+1 {
					last[t.gram] = i + 1
					documents[t.gram]++
				}
			}
		}
	}
	w := make(ciderWeights, c.size())
	logN := math.Log(float64(len(references[0])))
	for gram, df := range documents {
		w[gram] = logN - math.Log(float64(max(1, df)))
	}
	return w
}

// ciderVector are the weighted n-grams of one sentence.
type ciderVector struct {
	terms   []term
	weights []float64         // of terms
	norm    [maxOrder]float64 // by order
	pairs   float64           // number of pairs of words: what coco-caption takes for the length
}

// vector weights the terms of one sentence.
func (w ciderWeights) vector(terms []term) ciderVector {
	v := ciderVector{terms: terms, weights: make([]float64, len(terms))}
	for i, t := range terms {
		if t.order == 2 {
			v.pairs += float64(t.n)
		}
		weight := float64(t.n) * w[t.gram]
		v.norm[t.order-1] += weight * weight
		v.weights[i] = weight
	}
	for n := range v.norm {
		v.norm[n] = math.Sqrt(v.norm[n])
	}
	return v
}

// similarity is the mean over the orders of the clipped cosine with a reference, 0-1, times the penalty of length; weight are the reference's by
// n-gram, 0 where it has none.
func (v *ciderVector) similarity(ref *ciderVector, weight []float64) float64 {
	var products [maxOrder]float64
	for i, t := range v.terms {
		b := weight[t.gram]
		products[t.order-1] += min(v.weights[i], b) * b
	}
	sum := 0.0
	for n, p := range products {
		if p > 0 { // then neither norm is 0
			sum += p / (v.norm[n] * ref.norm[n])
		}
	}
	d := v.pairs - ref.pairs
	return sum / maxOrder * math.Exp(-d*d/(2*ciderSigma*ciderSigma))
}
