package metrics

import "math"

// ciderVector are the weighted n-grams of one sentence.
type ciderVector struct {
	terms []ciderTerm
	norm  [maxOrder]float64 // by order
	pairs float64           // number of pairs of words: what coco-caption takes for the length
}

// vector weights the terms of one sentence.
func (c *cider) vector(terms []ciderTerm) ciderVector {
	v := ciderVector{terms: make([]ciderTerm, len(terms))}
	for i, t := range terms {
		order := t.gram.order()
		if order == 2 {
			v.pairs += t.weight
		}
		// A word of the output that no reference has counts as one of a single document.
		t.weight *= c.logN - math.Log(float64(max(1, c.documents[t.gram])))
		v.norm[order-1] += t.weight * t.weight
		v.terms[i] = t
	}
	for n := range v.norm {
		v.norm[n] = math.Sqrt(v.norm[n])
	}
	return v
}

// similarity is the mean over the orders of the clipped cosine with a reference, 0-1, times the penalty of length.
func (v *ciderVector) similarity(ref ciderVector) float64 {
	var products [maxOrder]float64
	for i, j := 0, 0; i < len(v.terms) && j < len(ref.terms); {
		a, b := v.terms[i], ref.terms[j]
		switch order := a.gram.compare(b.gram); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			products[a.gram.order()-1] += min(a.weight, b.weight) * b.weight
			i, j = i+1, j+1
		}
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
