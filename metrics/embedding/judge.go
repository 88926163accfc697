package embedding

import (
	"fmt"
	"math"
	"strings"
)

// Judge is a metrics.EmbeddingJudge. It is safe for concurrent use.
type Judge struct {
	vectors *Vectors
	name    string
	norms   []float64 // length of each row of vectors.data
}

// NewJudge returns a judge by vectors. name is what signatures call them: the name of a published
// file, or for own ones the data set whose text they were trained on.
func NewJudge(v *Vectors, name string) *Judge {
	j := &Judge{vectors: v, name: name, norms: make([]float64, len(v.words)+1)}
	for id := range j.norms {
		j.norms[id] = math.Sqrt(dot(v.row(int32(id)), v.row(int32(id))))
	}
	return j
}

// formulas are what the signatures say of each metric.
var formulas = map[string]string{
	"embedding_average": "cosine-of-sums",
	"vector_extrema":    "cosine-of-extrema",
	"greedy_matching":   "mean-of-greatest-cosines,both-ways",
}

// Signature says in one line how a metric ("embedding_average", "vector_extrema" or
// "greedy_matching") is computed and with which vectors: their name, dimensions, number and hash,
// and of own ones how they were trained. references is their number, or what stands in their place
// ("source").
func (j *Judge) Signature(metric, references string) string {
	v := j.vectors
	vectors := fmt.Sprintf("%s,dim:%d,words:%d,sha256:%s", j.name, v.dim, v.total, v.hash)
	if v.Origin != "" {
		vectors = fmt.Sprintf("own(%s)-trained-on:%s", v.Origin, vectors)
	}
	return fmt.Sprintf(
		"%s|nlg-eval-2.4|level:sentence-mean|%s|vectors:%s|unknown:mean-vector|best:score|tok:whitespace|case:as-is|dirs:mean|refs:%s|version:1",
		metric,
		formulas[metric],
		strings.ReplaceAll(vectors, "|", "/"),
		references,
	)
}

// Similarities returns, for each output, three figures of -1 to 1, each the greatest over its
// references; references[k][i] belongs to outputs[i]:
//
//   - average: the cosine of the sums of the words' vectors, which is that of their means;
//   - extrema: the cosine of the vectors that have in each dimension the value of greatest
//     magnitude among the words;
//   - greedy: the mean over the words of the output of the greatest cosine with a word of the
//     reference, and the same the other way round, averaged.
//
// They are nlg-eval's eval_emb_metrics, with its details: a word without vector has the mean of all
// vectors; where the least value of a dimension is exactly 0 the extremum is 0; of two of equal
// magnitude it is the negative one. nlg-eval refuses sentences that are empty or whose sum is 0,
// and vectors of length 0 it takes as similar to nothing; here the figure is then 0. Words are
// looked up as they are, without nlg-eval's tokeniser. Sums are of float64, nlg-eval's of float32,
// which differs in the seventh digit. Similarities panics where a reference set's length differs
// from that of outputs; without references all figures are 0.
func (j *Judge) Similarities(outputs [][]string, references ...[][]string) (average, extrema, greedy []float64) {
	for k, set := range references {
		if len(set) != len(outputs) {
			panic(fmt.Sprintf("embedding: %d outputs, %d sentences in reference set %d", len(outputs), len(set), k))
		}
	}
	n := len(outputs)
	average, extrema, greedy = make([]float64, n), make([]float64, n), make([]float64, n)
	out, ref := j.sentence(), j.sentence()
	for i := range outputs {
		out.set(outputs[i])
		for k, set := range references {
			ref.set(set[i])
			a, e, g := cosine(out.sum, ref.sum), cosine(out.extrema, ref.extrema), j.greedy(out, ref)
			if k == 0 {
				average[i], extrema[i], greedy[i] = a, e, g
			} else {
				average[i], extrema[i], greedy[i] = max(average[i], a), max(extrema[i], e), max(greedy[i], g)
			}
		}
	}
	return average, extrema, greedy
}
