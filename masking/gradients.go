package masking

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/torch"
	"gonum.org/v1/gonum/integrate/quad"
)

// gradient returns dF/dx for inputs x [n*B, T, E], which are n versions of the batch. F is the
// log-odds that the method target returns. F of a sentence does not depend on other sentences, so
// the gradient of the sum of all F contains the gradients of all sentences.
func (e *explainer) gradient(x *torch.Tensor) (*torch.Tensor, error) {
	var g *torch.Tensor
	err := torch.WithGrad(func() error {
		leaf := x.Leaf()
		g = torch.Gradient(e.target(leaf), leaf).Keep()
		return nil
	})
	return g, err
}

// target returns F, the log-odds of each sentence's style, for inputs x [n*B, T, E]: [n*B].
func (e *explainer) target(x *torch.Tensor) *torch.Tensor {
	return e.logOdds(e.model.FromInputs(x).Logits, slices.Repeat(e.batch, int(x.Size(0))/len(e.batch)))
}

// logOdds returns the log-odds [B] of every sentence's own style s, log(p(s) / (1 - p(s))), given
// logits z [B, S]. This is z_s - log sum over t != s of exp(z_t). With two styles, it is z_s minus
// the other logit.
func (e *explainer) logOdds(logits *torch.Tensor, batch []int) *torch.Tensor {
	styles := int(logits.Size(1))
	if styles == 2 {
		return logits.Mul(e.styleMatrix(batch, styles, 1, -1)).SumDim(1, false)
	}
	own := logits.Mul(e.styleMatrix(batch, styles, 1, 0)).SumDim(1, false)
	const away = -1e9                                           // exp(away) is 0
	others := logits.Add(e.styleMatrix(batch, styles, away, 0)) // in every column, z - log softmax(z) is log sum exp(z)
	share := 1 / float32(styles-1)
	return own.Sub(others.Sub(others.LogSoftmax(1)).Mul(e.styleMatrix(batch, styles, 0, share)).SumDim(1, false))
}

// styleMatrix returns a matrix [B, S]. In each row, the column of the sentence's style has the
// value own, and all other columns have the value others.
func (e *explainer) styleMatrix(batch []int, styles int, own, others float32) *torch.Tensor {
	flat := slices.Repeat([]float32{others}, styles*len(batch))
	for k, i := range batch {
		flat[k*styles+e.data.Styles[i]] = own
	}
	return torch.FromFloats(flat, int64(len(batch)), int64(styles))
}

// meanGradient returns the mean of dF/dx over the points alpha * x: [B, T, E]. Times x, this is
// integrated gradients of x with the baseline 0 (Sundararajan et al. 2017, eq. 1):
//
//	IG_i(x) = x_i * integral over alpha in [0, 1] of dF(alpha x)/dx_i
//
// The integral is computed as a weighted sum over the given number of Gauss-Legendre points. The
// model runs on as many points at a time as wordsAtOnce allows, but on at least one.
func (e *explainer) meanGradient(x *torch.Tensor, points int) (*torch.Tensor, error) {
	b, t, width := x.Size(0), x.Size(1), x.Size(2)
	together := max(1, wordsAtOnce/int(b*t))
	var alphas, weights []float32
	at, weight := gaussLegendre(points)
	for k := range points {
		alphas, weights = append(alphas, float32(at[k])), append(weights, float32(weight[k]))
	}
	mean := torch.Zeros(b, t, width)
	for len(alphas) > 0 {
		n := min(together, len(alphas))
		err := torch.Scoped(func() error {
			path := torch.FromFloats(alphas[:n], int64(n), 1, 1, 1).Mul(x).Reshape(int64(n)*b, t, width)
			g, err := e.gradient(path)
			if err != nil {
				return err
			}
			some, flat := torch.FromFloats(weights[:n], 1, int64(n)), g.Reshape(int64(n), b*t*width)
			part := some.MatMul(flat).Reshape(b, t, width)
			next := mean.Add(part).Keep()
			mean.Free()
			mean = next
			return nil
		})
		if err != nil {
			return nil, err
		}
		alphas, weights = alphas[n:], weights[n:]
	}
	return mean, nil
}

// gaussLegendre returns n points on [0, 1] in ascending order, and their weights (Abramowitz and
// Stegun 1964, 25.4.30). In gonum v0.17.0, the weights for n = 26 are wrong by 1 %.
func gaussLegendre(n int) (points, weights []float64) {
	points, weights = make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(points, weights, 0, 1)
	slices.Reverse(points)
	slices.Reverse(weights)
	return points, weights
}
