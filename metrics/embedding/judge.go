package embedding

import (
	"fmt"
	"math"
	"slices"
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

// Similarities returns, for each output, three numbers of -1 to 1, each the greatest over its
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
// and vectors of length 0 it takes as similar to nothing; here the number is then 0. Words are
// looked up as they are, without nlg-eval's tokeniser. Sums are of float64, nlg-eval's of float32,
// which differs in the seventh digit. Similarities panics where a reference set's length differs
// from that of outputs; without references all numbers are 0.
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

// sentence is what the three numbers need of a sentence. It is used again for the next one.
type sentence struct {
	judge        *Judge
	ids          []int32 // of its words
	distinct     []int32 // the same in ascending order, each once
	sum, extrema []float64
}

func (j *Judge) sentence() *sentence {
	return &sentence{judge: j, sum: make([]float64, j.vectors.dim), extrema: make([]float64, j.vectors.dim)}
}

// set takes a sentence. Of an empty one the sum and the extrema are 0.
func (s *sentence) set(words []string) {
	v := s.judge.vectors
	s.ids = s.ids[:0]
	clear(s.sum)
	clear(s.extrema)
	for _, w := range words {
		id, known := v.ids[w]
		if !known {
			id = v.unknown()
		}
		s.ids = append(s.ids, id)
		for d, x := range v.row(id) {
			s.sum[d] += float64(x)
		}
	}
	s.distinct = append(s.distinct[:0], s.ids...)
	slices.Sort(s.distinct)
	s.distinct = slices.Compact(s.distinct)
	if len(s.distinct) == 0 {
		return
	}
	for d := range s.extrema {
		least, greatest := math.Inf(1), math.Inf(-1)
		for _, id := range s.distinct {
			x := float64(v.data[int(id)*v.dim+d])
			least, greatest = min(least, x), max(greatest, x)
		}
		s.extrema[d] = extremum(least, greatest)
	}
}

// extremum is nlg-eval's choice between the least and the greatest value of a dimension.
func extremum(least, greatest float64) float64 {
	if least > 0 || least < 0 && greatest > -least {
		return greatest
	}
	return least
}

// greedy returns the greedy matching of two sentences, 0 where one is empty.
func (j *Judge) greedy(a, b *sentence) float64 {
	if len(a.ids) == 0 || len(b.ids) == 0 {
		return 0
	}
	return (j.oneWay(a, b) + j.oneWay(b, a)) / 2
}

// oneWay returns the mean over the words of a of the greatest cosine with a word of b. Most words
// of a rewrite stand in the source too, and have the cosine 1 with themselves: only the others are
// compared.
func (j *Judge) oneWay(a, b *sentence) float64 {
	sum := 0.0
	for _, id := range a.ids {
		if _, found := slices.BinarySearch(b.distinct, id); found && j.norms[id] > 0 {
			sum++
			continue
		}
		greatest := math.Inf(-1)
		for _, other := range b.distinct {
			greatest = max(greatest, j.cosine(id, other))
		}
		sum += greatest
	}
	return sum / float64(len(a.ids))
}

// cosine returns that of two words, 0 where a vector is 0.
func (j *Judge) cosine(a, b int32) float64 {
	norms := j.norms[a] * j.norms[b]
	if norms == 0 {
		return 0
	}
	return within(dot(j.vectors.row(a), j.vectors.row(b)) / norms)
}

// cosine returns the cosine of two vectors, 0 where one is 0.
func cosine(a, b []float64) float64 {
	norms := math.Sqrt(dot(a, a)) * math.Sqrt(dot(b, b))
	if norms == 0 {
		return 0
	}
	return within(dot(a, b) / norms)
}

// within is a cosine without what rounding adds to that of parallel vectors.
func within(cosine float64) float64 { return max(-1, min(1, cosine)) }

func dot[F float32 | float64](a, b []F) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
