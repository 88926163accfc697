package embedding

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// TrainOptions are the settings of Train. Zero means the default.
type TrainOptions struct {
	Dim      int // maximum vector length, 100 by default; vectors are never longer than the number of words
	Window   int // number of words on each side of a word that count as its contexts, 5 by default
	MinCount int // minimum count of a word that gets a vector, 2 by default
}

func (o TrainOptions) withDefaults() TrainOptions {
	return TrainOptions{Dim: cmp.Or(o.Dim, 100), Window: cmp.Or(o.Window, 5), MinCount: cmp.Or(o.MinCount, 2)}
}

// eigenvalueWeight is the exponent of the singular values. Levy, Goldberg and Dagan (2015)
// recommend .5 or 0 and advise against 1.
const eigenvalueWeight = .5

// Train computes word vectors from sentences. The matrix M holds the positive pointwise mutual
// information of each word and each context. A truncated singular value decomposition factorises it
// as M = U S V' (Levy and Goldberg 2014). The vectors are the rows of U S^.5, ordered from the most
// to the least frequent word. The contexts of a word are the words in a window around it, within
// its sentence. The distribution of contexts is smoothed with the exponent .75. Both exponents, .5
// and .75, are from Levy, Goldberg and Dagan (2015).
//
// The decomposition is randomised (randomisedSVD). The same seed gives the same vectors on the same
// kind of machine. All of Yelp's training text takes a few seconds on one core. If no word occurs
// MinCount times, Train fails with userr.BadInput.
func Train(sentences [][]string, seed uint64, opts TrainOptions) (*Vectors, error) {
	opts = opts.withDefaults()
	text := index(sentences, opts.MinCount, opts.Window)
	if len(text.words) == 0 {
		return nil, userr.New(userr.BadInput, "no word vectors can be trained, because no word occurs %d times in the "+
			"%d sentences: give more text or a file of vectors", opts.MinCount, len(sentences))
	}
	dim := min(opts.Dim, len(text.words))
	u, values := randomisedSVD(text.ppmi(opts.Window), dim, seed)
	b := newBuilder(dim)
	row := make([]float32, dim)
	for i, word := range text.words {
		for d := range row {
			row[d] = float32(u.Data[i*u.Stride+d] * math.Pow(values[d], eigenvalueWeight))
		}
		b.add([]byte(word), row, nil)
	}
	v := b.finish()
	v.Origin = fmt.Sprintf(
		"ppmi-svd,window:%d,context-smoothing:%v,eigenvalue-weight:%v,min-count:%d,seed:%d,sentences:%d,tokens:%d",
		opts.Window,
		contextSmoothing,
		eigenvalueWeight,
		opts.MinCount,
		seed,
		len(sentences),
		text.tokens,
	)
	return v, nil
}

// text holds sentences as word numbers.
type text struct {
	words  []string // sorted from most to least frequent; equally frequent words in byte order
	ids    []int32  // word numbers of all sentences; the number gap stands between sentences and for rare words
	tokens int      // number of words, including rare ones
}

const gap int32 = -1

// index gives a number to each word that occurs at least minCount times. Before the first sentence
// and after every sentence, it adds the number gap, which is no word, as often as the window is
// long. So no window reaches into another sentence or beyond the text.
func index(sentences [][]string, minCount, window int) *text {
	t := &text{}
	counts := map[string]int{}
	for _, s := range sentences {
		t.tokens += len(s)
		for _, w := range s {
			counts[w]++
		}
	}
	for w, n := range counts {
		if n >= minCount {
			t.words = append(t.words, w)
		}
	}
	slices.SortFunc(
		t.words, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) },
	)
	ids := make(map[string]int32, len(t.words))
	for i, w := range t.words {
		ids[w] = int32(i)
	}
	t.ids = make([]int32, 0, t.tokens+(len(sentences)+1)*window)
	gaps := slices.Repeat([]int32{gap}, window)
	t.ids = append(t.ids, gaps...)
	for _, s := range sentences {
		for _, w := range s {
			id, ok := ids[w]
			if !ok {
				id = gap
			}
			t.ids = append(t.ids, id)
		}
		t.ids = append(t.ids, gaps...)
	}
	return t
}

// dense returns a matrix of zeros.
func dense(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// contextSmoothing is the exponent of the context counts. Without it, rare contexts would have too
// much mutual information.
const contextSmoothing = .75

// sparse is a square matrix of mostly zeros. Row i has values[start[i]:start[i+1]], in the columns
// columns[start[i]:start[i+1]].
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
// #(w,c) is how often c occurs in the window around w. #(w) is the sum of #(w,c) over all c, and
// #(c) its sum over all w.
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

// cooccurrences counts how often each word occurs in the window around each other word. It handles
// one word at a time and visits all places of this word. So it needs memory for the counts of only
// one row, and neither a hash table of pairs nor a full matrix.
func (t *text) cooccurrences(window int) *sparse {
	n := len(t.words)
	places, first := t.places()
	m := &sparse{start: make([]int, 1, n+1)}
	counts := make([]float64, n)
	var seen []int32
	for w := range n {
		seen = seen[:0]
		for _, position := range places[first[w]:first[w+1]] {
			context := t.ids[int(position)-window : int(position)+window+1]
			for k, c := range context {
				if c == gap || k == window {
					continue
				}
				if counts[c] == 0 {
					seen = append(seen, c)
				}
				counts[c]++
			}
		}
		for _, c := range seen {
			m.columns = append(m.columns, c)
			m.values = append(m.values, counts[c])
			counts[c] = 0
		}
		m.start = append(m.start, len(m.columns))
	}
	return m
}

// places returns the positions of all words in t.ids. The positions of word w are
// places[first[w]:first[w+1]].
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
	for position, id := range t.ids {
		if id != gap {
			places[next[id]] = int32(position)
			next[id]++
		}
	}
	return places, first
}

// times returns the matrix product of m and x, where x has as many rows as m has columns.
func (m *sparse) times(x blas64.General) blas64.General {
	y := dense(m.size(), x.Cols)
	for i := range m.size() {
		target := vector(y, i)
		columns, values := m.row(i)
		for k, c := range columns {
			blas64.Axpy(values[k], vector(x, int(c)), target)
		}
	}
	return y
}

// transposedTimes returns the matrix product of m transposed and x, where x has as many rows as m.
func (m *sparse) transposedTimes(x blas64.General) blas64.General {
	y := dense(m.size(), x.Cols)
	for i := range m.size() {
		source := vector(x, i)
		columns, values := m.row(i)
		for k, c := range columns {
			blas64.Axpy(values[k], source, vector(y, int(c)))
		}
	}
	return y
}

// vector returns row i of a matrix.
func vector(m blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: m.Cols, Inc: 1, Data: m.Data[i*m.Stride:][:m.Cols]}
}

const (
	oversampling    = 10 // number of random columns in addition to k; they make the result more accurate
	powerIterations = 4  // each iteration makes large singular values stand out more
)

// randomisedSVD returns the k greatest singular values of m in descending order, and their left
// singular vectors as columns (words x k). It uses algorithms 4.4 and 5.1 of Halko, Martinsson and
// Tropp (2011). O is a Gaussian random matrix drawn from seed, and Q is an orthonormal basis of the
// range of (m m')^4 m O. The small matrix B = Q' m is then decomposed through the eigenvectors of B
// B'. Because B B' squares the singular values, singular values below a millionth of the greatest
// are noise and are set to 0.
func randomisedSVD(m *sparse, k int, seed uint64) (blas64.General, []float64) {
	n := m.size()
	rng := rand.New(rand.NewPCG(seed, 0))
	start := dense(n, min(k+oversampling, n))
	for i := range start.Data {
		start.Data[i] = rng.NormFloat64()
	}
	q := orthonormal(m.times(start))
	for range powerIterations {
		// Without the inner call of orthonormal, all columns would turn towards the first singular
		// vector.
		q = orthonormal(m.times(orthonormal(m.transposedTimes(q))))
	}
	transposed := m.transposedTimes(q) // B'
	size := q.Cols
	small := blas64.Symmetric{N: size, Stride: size, Uplo: blas.Upper, Data: make([]float64, size*size)}
	blas64.Syrk(blas.Trans, 1, transposed, 0, small)
	eigenvalues := make([]float64, size)
	work := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, small, eigenvalues, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Syev(lapack.EVCompute, small, eigenvalues, work, len(work))

	chosen, values := dense(size, k), make([]float64, k)
	for d := range k {
		from := size - 1 - d
		if value := math.Sqrt(max(eigenvalues[from], 0)); value > 1e-6*math.Sqrt(eigenvalues[size-1]) {
			values[d] = value
		}
		for i := range size {
			chosen.Data[i*k+d] = small.Data[i*small.Stride+from]
		}
	}
	u := dense(n, k)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, q, chosen, 0, u)
	return u, values
}

// orthonormal overwrites a with an orthonormal basis of its range and returns it. The matrix a must
// not have more columns than rows.
func orthonormal(a blas64.General) blas64.General {
	tau := make([]float64, a.Cols)
	work := make([]float64, 1)
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(a, tau, work, len(work))
	lapack64.Orgqr(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Orgqr(a, tau, work, len(work))
	return a
}
