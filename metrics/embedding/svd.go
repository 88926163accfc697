package embedding

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

const (
	oversampling    = 10 // columns beyond those wanted, which make the range more certain
	powerIterations = 4  // each makes the greater singular values stand out more
)

// randomisedSVD returns the k greatest singular values of m, falling, and their left singular
// vectors as columns (words x k). It is algorithms 4.4 and 5.1 of Halko, Martinsson and Tropp
// (2011): with a Gaussian matrix O drawn by seed, Q is an orthonormal basis of the range of (m
// m')^4 m O; the decomposition is that of the small matrix B = Q' m, here by the eigenvectors of B
// B'. Values below a millionth of the greatest are noise of that square and become 0.
func randomisedSVD(m *sparse, k int, seed uint64) (blas64.General, []float64) {
	n := m.size()
	rng := rand.New(rand.NewPCG(seed, 0))
	start := dense(n, min(k+oversampling, n))
	for i := range start.Data {
		start.Data[i] = rng.NormFloat64()
	}
	q := orthonormal(m.times(start))
	for range powerIterations {
		// Without a basis in between, all columns would turn towards the first singular vector.
		q = orthonormal(m.times(orthonormal(m.transposedTimes(q))))
	}
	transposed := m.transposedTimes(q) // B'
	size := q.Cols
	small := blas64.Symmetric{N: size, Stride: size, Uplo: blas.Upper, Data: make([]float64, size*size)}
	blas64.Syrk(blas.Trans, 1, transposed, 0, small)
	rising := make([]float64, size)
	work := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, small, rising, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Syev(lapack.EVCompute, small, rising, work, len(work))

	chosen, values := dense(size, k), make([]float64, k)
	for d := range k {
		from := size - 1 - d
		if value := math.Sqrt(max(rising[from], 0)); value > 1e-6*math.Sqrt(rising[size-1]) {
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

// orthonormal returns an orthonormal basis of the range of a, a matrix with no more columns than
// rows, which it overwrites.
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
