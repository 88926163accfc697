package embedding

import (
	"math"
	"slices"
)

// sentence is what the three figures need of a sentence. It is used again for the next one.
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
	return dot(j.vectors.row(a), j.vectors.row(b)) / norms
}

// cosine returns the cosine of two vectors, 0 where one is 0.
func cosine(a, b []float64) float64 {
	norms := math.Sqrt(dot(a, a)) * math.Sqrt(dot(b, b))
	if norms == 0 {
		return 0
	}
	return dot(a, b) / norms
}

func dot[F float32 | float64](a, b []F) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
