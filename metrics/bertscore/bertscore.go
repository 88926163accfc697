// Package bertscore computes BERTScore (Zhang et al. 2020) like the authors' program bert-score: it
// matches the tokens of two sentences by their vectors from a pretrained encoder. The package needs
// no tensors: the caller runs the encoder and passes in the vectors.
package bertscore

import (
	"math"
	"slices"
)

// Sentence holds a unit vector and a weight for each token, including special tokens.
type Sentence struct {
	Vectors []float32 // [tokens * width]
	Weights []float64 // [tokens]
}

// specialTokens is the number of special tokens in a sentence. A sentence with only these tokens
// counts as empty.
const specialTokens = 2

// Match returns the similarity of an output to a reference: F1, the harmonic mean of precision and
// recall. Precision is the weighted mean, over the output's tokens, of the largest cosine with a
// token of the reference. Recall is the same with output and reference exchanged. F1 is 0 if a
// sentence is empty or the weights of its tokens sum to 0.
func Match(output, reference Sentence) float64 {
	n, m := len(output.Weights), len(reference.Weights)
	outputWeight, referenceWeight := sum(output.Weights), sum(reference.Weights)
	if n <= specialTokens || m <= specialTokens || outputWeight == 0 || referenceWeight == 0 {
		return 0
	}
	width := len(output.Vectors) / n
	best := make([]float64, m)
	for j := range best {
		best[j] = math.Inf(-1)
	}
	var precision, recall float64
	for i := range n {
		u, most := output.Vectors[i*width:(i+1)*width], math.Inf(-1)
		for j := range m {
			cosine := float64(dot(u, reference.Vectors[j*width:(j+1)*width]))
			most, best[j] = max(most, cosine), max(best[j], cosine)
		}
		precision += most * output.Weights[i] / outputWeight
	}
	for j, cosine := range best {
		recall += cosine * reference.Weights[j] / referenceWeight
	}
	if both := precision + recall; both != 0 {
		return 2 * precision * recall / both
	}
	return 0
}

// dot returns the dot product of two vectors of equal length. Eight independent sums let the
// processor add in parallel.
func dot(u, v []float32) float32 {
	var a, b, c, d, e, f, g, h float32
	v = v[:len(u)]
	i := 0
	for ; i+8 <= len(u) && i+8 <= len(v); i += 8 {
		x, y := u[i:i+8:i+8], v[i:i+8:i+8]
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		e += x[4] * y[4]
		f += x[5] * y[5]
		g += x[6] * y[6]
		h += x[7] * y[7]
	}
	for ; i < len(u); i++ {
		a += u[i] * v[i]
	}
	return ((a + b) + (c + d)) + ((e + f) + (g + h))
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// Unit divides each vector of the given width by its norm, in place.
func Unit(vectors []float32, width int) {
	for start := 0; start+width <= len(vectors); start += width {
		v, length := vectors[start:start+width], 0.0
		for _, x := range v {
			length += float64(x) * float64(x)
		}
		if length == 0 {
			continue
		}
		scale := float32(1 / math.Sqrt(length))
		for k := range v {
			v[k] *= scale
		}
	}
}

// Weights returns a weight for each token: 0 for the special tokens, 1 for the others.
func Weights(pieces []int64, special ...int64) []float64 {
	out := make([]float64, len(pieces))
	for i, piece := range pieces {
		if !slices.Contains(special, piece) {
			out[i] = 1
		}
	}
	return out
}
