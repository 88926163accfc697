package embedding

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Judge implements metrics.EmbeddingJudge. It is safe for concurrent use.
type Judge struct {
	vectors *Vectors
	name    string
	norms   []float64 // length of each row of vectors.data
}

// NewJudge returns a judge that uses the vectors v. name is the name of their file, for signatures.
func NewJudge(v *Vectors, name string) *Judge {
	j := &Judge{vectors: v, name: name, norms: make([]float64, len(v.words)+1)}
	for id := range j.norms {
		j.norms[id] = math.Sqrt(dot(v.row(int32(id)), v.row(int32(id))))
	}
	return j
}

// The map formulas has a description of each metric for signatures.
var formulas = map[string]string{
	"embedding_average": "cosine-of-sums",
	"vector_extrema":    "cosine-of-extrema",
	"greedy_matching":   "mean-of-greatest-cosines,both-ways",
}

// Signature describes in one line how a metric ("embedding_average", "vector_extrema" or
// "greedy_matching") is computed, and with which vectors: their name, dimensions, number and hash.
func (j *Judge) Signature(metric string) string {
	v := j.vectors
	vectors := fmt.Sprintf("%s,dim:%d,words:%d,sha256:%s", j.name, v.dim, v.total, v.hash)
	return fmt.Sprintf(
		"%s|nlg-eval-2.4|level:sentence-mean|%s|vectors:%s|unknown:mean-vector|best:score|tok:whitespace|case:as-is|dirs:mean|refs:source|version:1",
		metric,
		formulas[metric],
		strings.ReplaceAll(vectors, "|", "/"),
	)
}

// Similarities returns three similarities, -1 to 1, of each output and its source. sources[i]
// belongs to outputs[i]:
//
//   - average: the cosine of the sums of the word vectors, which equals the cosine of their means;
//   - extrema: the cosine of the vectors that have in each dimension the value of greatest
//     magnitude among the words;
//   - greedy: the greatest cosine of each output word with a source word, averaged over the
//     words; then the same in the other direction, and the mean of both.
//
// The similarities are those of nlg-eval's eval_emb_metrics, including its details: an unknown word
// gets the mean of all vectors; if the lowest value of a dimension is exactly 0, the extremum is 0;
// if two values have equal magnitude, the extremum is the negative one. nlg-eval rejects sentences
// that are empty or whose sum is 0; here their similarities are 0. A word vector of length 0 has
// the cosine 0 with every vector, as in nlg-eval. Words are looked up as they are, without
// nlg-eval's tokeniser. Sums are float64 instead of nlg-eval's float32, which changes the seventh
// digit. Similarities panics if the numbers of outputs and sources differ.
func (j *Judge) Similarities(outputs, sources [][]string) (average, extrema, greedy []float64) {
	if len(sources) != len(outputs) {
		panic(fmt.Sprintf("embedding: %d outputs, %d sources", len(outputs), len(sources)))
	}
	n := len(outputs)
	average, extrema, greedy = make([]float64, n), make([]float64, n), make([]float64, n)
	out, source := j.sentence(), j.sentence()
	for i := range outputs {
		out.set(outputs[i])
		source.set(sources[i])
		average[i], extrema[i] = cosine(out.sum, source.sum), cosine(out.extrema, source.extrema)
		greedy[i] = j.greedy(out, source)
	}
	return average, extrema, greedy
}

// sentence holds the data of one sentence from which the three similarities are computed. One value
// of this type is reused for many sentences.
type sentence struct {
	judge        *Judge
	ids          []int32 // for each word, the row of its vector
	distinct     []int32 // ids, sorted and without duplicates
	sum, extrema []float64
}

func (j *Judge) sentence() *sentence {
	return &sentence{judge: j, sum: make([]float64, j.vectors.dim), extrema: make([]float64, j.vectors.dim)}
}

// set replaces the data in s by the data of another sentence. If the sentence is empty, the sum and
// the extrema are 0.
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

// extremum chooses between the lowest and the highest value of a dimension, as nlg-eval does.
func extremum(least, greatest float64) float64 {
	if least > 0 || least < 0 && greatest > -least {
		return greatest
	}
	return least
}

// greedy returns the score of greedy matching for two sentences, or 0 if a sentence is empty.
func (j *Judge) greedy(a, b *sentence) float64 {
	if len(a.ids) == 0 || len(b.ids) == 0 {
		return 0
	}
	return (j.oneWay(a, b) + j.oneWay(b, a)) / 2
}

// oneWay returns the mean, over the words of a, of the greatest cosine with a word of b. Most words
// of a rewrite are also in the source and have the cosine 1 with themselves, so oneWay computes
// cosines only for the other words.
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

// cosine returns the cosine of the vectors of two words, or 0 if a vector has length 0.
func (j *Judge) cosine(a, b int32) float64 {
	norms := j.norms[a] * j.norms[b]
	if norms == 0 {
		return 0
	}
	return clip(dot(j.vectors.row(a), j.vectors.row(b)) / norms)
}

// cosine returns the cosine of two vectors, or 0 if a vector has length 0.
func cosine(a, b []float64) float64 {
	norms := math.Sqrt(dot(a, a)) * math.Sqrt(dot(b, b))
	if norms == 0 {
		return 0
	}
	return clip(dot(a, b) / norms)
}

// clip limits a cosine to the range from -1 to 1, which rounding can exceed for parallel vectors.
func clip(cosine float64) float64 { return max(-1, min(1, cosine)) }

func dot[F float32 | float64](a, b []F) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
