// Package bertscore matches the pieces of two sentences by the vectors that a pretrained encoder
// gives them, as Zhang et al. (2020) and their program bert-score do. It needs no tensors: who has
// the encoder hands in the vectors.
package bertscore

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Sentence is what is matched: for each piece, special ones included, a vector of length 1, one
// after the other, and how much the piece counts.
type Sentence struct {
	Vectors []float32 // [pieces * width]
	Weights []float64 // [pieces]
}

// Score is what one output has beside one reference.
type Score struct{ Precision, Recall, F1 float64 }

// special is how many special pieces a sentence has: one of these alone is empty.
const special = 2

// Match compares an output with a reference. Each piece takes the piece of the other sentence with
// the largest cosine: the precision is their weighted mean over the output's pieces, the recall
// that over the reference's. Where a sentence is empty, or all its pieces weigh nothing, all is 0.
func Match(output, reference Sentence) Score {
	n, m := len(output.Weights), len(reference.Weights)
	ofOutput, ofReference := sum(output.Weights), sum(reference.Weights)
	if n <= special || m <= special || ofOutput == 0 || ofReference == 0 {
		return Score{}
	}
	width := len(output.Vectors) / n
	best := make([]float64, m)
	for j := range best {
		best[j] = math.Inf(-1)
	}
	var s Score
	for i := range n {
		u, most := output.Vectors[i*width:(i+1)*width], math.Inf(-1)
		for j := range m {
			cosine := float64(dot(u, reference.Vectors[j*width:(j+1)*width]))
			most, best[j] = max(most, cosine), max(best[j], cosine)
		}
		s.Precision += most * output.Weights[i] / ofOutput
	}
	for j, cosine := range best {
		s.Recall += cosine * reference.Weights[j] / ofReference
	}
	if both := s.Precision + s.Recall; both != 0 {
		s.F1 = 2 * s.Precision * s.Recall / both
	}
	return s
}

// dot is the product of two vectors of one length. Eight sums leave the processor something to do
// while one is added to.
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

// Unit divides each vector of some width by its length.
func Unit(vectors []float32, width int) {
	for at := 0; at+width <= len(vectors); at += width {
		v, length := vectors[at:at+width], 0.0
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

// Best returns the largest of each number: what an output has beside several references, at least
// one.
func Best(scores ...Score) Score {
	best := scores[0]
	for _, s := range scores[1:] {
		best.Precision = max(best.Precision, s.Precision)
		best.Recall = max(best.Recall, s.Recall)
		best.F1 = max(best.F1, s.F1)
	}
	return best
}

// Weights says how much a piece counts, by its id.
type Weights func(piece int64) float64

// Of returns the weights of a sentence's pieces.
func (w Weights) Of(pieces []int64) []float64 {
	out := make([]float64, len(pieces))
	for i, piece := range pieces {
		out[i] = w(piece)
	}
	return out
}

// Equal counts every piece once but the special ones, which it leaves out.
func Equal(special ...int64) Weights {
	return func(piece int64) float64 {
		for _, s := range special {
			if piece == s {
				return 0
			}
		}
		return 1
	}
}

// IDF counts a piece the more, the fewer of the references have it: log((N + 1) / (n + 1)), where
// n of N have it. Special pieces stand in all of them and so weigh nothing.
func IDF(references [][]int64) Weights {
	having := map[int64]int{}
	for _, pieces := range references {
		seen := map[int64]bool{}
		for _, piece := range pieces {
			if !seen[piece] {
				seen[piece] = true
				having[piece]++
			}
		}
	}
	all := float64(len(references) + 1)
	return func(piece int64) float64 { return math.Log(all / float64(having[piece]+1)) }
}

// Rescaled moves a score so that the baseline, that of sentences which have nothing to do with
// each other, becomes 0, and 1 stays 1.
func (s Score) Rescaled(baseline Score) Score {
	rescale := func(v, b float64) float64 { return (v - b) / (1 - b) }
	return Score{
		rescale(s.Precision, baseline.Precision), rescale(s.Recall, baseline.Recall), rescale(s.F1, baseline.F1),
	}
}

// mostBaseline bounds the lines of a file of baselines: a model has a layer a line.
const mostBaseline = 10_000

// ReadBaseline reads the baseline of a layer from a file as bert-score has them in its folder
// rescale_baseline: commas between the columns LAYER, P, R and F, a line a layer. Errors are of
// kind userr.BadInput.
func ReadBaseline(path string, layer int) (Score, error) {
	var none Score
	fail := func(format string, args ...any) (Score, error) {
		return none, userr.New(userr.BadInput, "the baseline %q: "+format, append([]any{path}, args...)...)
	}
	file, err := os.Open(path)
	if err != nil {
		return fail("%w", files.Cause(err))
	}
	defer func() { _ = file.Close() }() // it was read
	rows := csv.NewReader(file)
	rows.FieldsPerRecord = 4
	for line := range mostBaseline {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail("it must have the columns LAYER,P,R,F, as bert-score's files do (%w)", err)
		}
		if n, err := strconv.Atoi(row[0]); line == 0 || err == nil && n != layer {
			continue
		}
		var v [3]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(row[k+1], 64); err != nil || !(v[k] < 1) || v[k] <= -1 {
				return fail("line %d has %q, but a baseline is a number above -1 and below 1", line+1, row[k+1])
			}
		}
		return Score{v[0], v[1], v[2]}, nil
	}
	return fail("it has no line for layer %d: give the encoder's own baseline, or another encoder_layer", layer)
}
