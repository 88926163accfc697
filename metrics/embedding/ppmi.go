package embedding

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// contextSmoothing is the exponent of the counts of contexts: rare ones would else have too great a
// mutual information.
const contextSmoothing = .75

// sparse is a square matrix of which most is 0. Row i has the values from start[i] to start[i+1],
// at those columns.
type sparse struct {
	start   []int
	columns []int32
	values  []float64
}

func (m *sparse) size() int { return len(m.start) - 1 }

// row returns the columns and the values of row i.
func (m *sparse) row(i int) ([]int32, []float64) {
	from, to := m.start[i], m.start[i+1]
	return m.columns[from:to], m.values[from:to]
}

// ppmi returns the positive pointwise mutual information of each word (row) and context (column):
//
//	max(0, ln( #(w,c) sum_c' #(c')^.75 / ( #(w) #(c)^.75 ) ))
//
// where #(w,c) is how often c stands within window words of w, and #(w) = #(c) is its sum over the
// other.
func (t *text) ppmi(window int) *sparse {
	m := t.cooccurrences(window)
	n := m.size()
	sums, smoothed := make([]float64, n), make([]float64, n)
	total := 0.0
	for i := range n {
		_, values := m.row(i)
		for _, v := range values {
			sums[i] += v
		}
		smoothed[i] = math.Pow(sums[i], contextSmoothing)
		total += smoothed[i]
	}
	positive := &sparse{start: make([]int, 1, n+1)}
	for i := range n {
		columns, values := m.row(i)
		for k, c := range columns {
			if information := math.Log(values[k] * total / (sums[i] * smoothed[c])); information > 0 {
				positive.columns = append(positive.columns, c)
				positive.values = append(positive.values, information)
			}
		}
		positive.start = append(positive.start, len(positive.columns))
	}
	return positive
}

// cooccurrences counts how often each word stands within window words of each other one. It goes
// from word to word, over all places of one, so that it counts in a single row: neither a hash
// table of pairs nor a full matrix is needed.
func (t *text) cooccurrences(window int) *sparse {
	n := len(t.words)
	places, first := t.places()
	m := &sparse{start: make([]int, 1, n+1)}
	counts := make([]float64, n)
	var met []int32
	for w := range n {
		met = met[:0]
		for _, at := range places[first[w]:first[w+1]] {
			around := t.ids[int(at)-window : int(at)+window+1]
			for k, c := range around {
				if c == gap || k == window {
					continue
				}
				if counts[c] == 0 {
					met = append(met, c)
				}
				counts[c]++
			}
		}
		for _, c := range met {
			m.columns = append(m.columns, c)
			m.values = append(m.values, counts[c])
			counts[c] = 0
		}
		m.start = append(m.start, len(m.columns))
	}
	return m
}

// places returns where each word stands in ids: word w from first[w] to first[w+1].
func (t *text) places() (places []int32, first []int) {
	first = make([]int, len(t.words)+1)
	for _, id := range t.ids {
		if id != gap {
			first[id+1]++
		}
	}
	for w := range t.words {
		first[w+1] += first[w]
	}
	places = make([]int32, first[len(t.words)])
	next := append([]int(nil), first...)
	for at, id := range t.ids {
		if id != gap {
			places[next[id]] = int32(at)
			next[id]++
		}
	}
	return places, first
}

// times returns m x, where x has as many rows as m has columns.
func (m *sparse) times(x blas64.General) blas64.General {
	y := dense(m.size(), x.Cols)
	for i := range m.size() {
		to := vector(y, i)
		columns, values := m.row(i)
		for k, c := range columns {
			blas64.Axpy(values[k], vector(x, int(c)), to)
		}
	}
	return y
}

// transposedTimes returns m' x, where x has as many rows as m.
func (m *sparse) transposedTimes(x blas64.General) blas64.General {
	y := dense(m.size(), x.Cols)
	for i := range m.size() {
		from := vector(x, i)
		columns, values := m.row(i)
		for k, c := range columns {
			blas64.Axpy(values[k], from, vector(y, int(c)))
		}
	}
	return y
}

// vector returns row i of a matrix.
func vector(m blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: m.Cols, Inc: 1, Data: m.Data[i*m.Stride:][:m.Cols]}
}
