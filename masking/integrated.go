package masking

import (
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// integrated returns integrated gradients (Sundararajan et al. 2017, eq. 1) of x [B, T, E],
//
//	IG_i(x) = (x_i - x'_i) * integral over alpha in [0, 1] of dF(x' + alpha (x - x'))/dx_i
//
// the integral as a mean over points (nodes). It writes their completeness into s.
func (e *explainer) integrated(x *torch.Tensor, s *Scores) (*torch.Tensor, error) {
	base := torch.Zeros(1, 1, x.Size(2))
	if e.IGBaseline == policy.MeanBaseline {
		base = e.model.MeanInput()
	}
	delta := x.Sub(base)
	mean, err := e.meanGradient(base, delta)
	if err != nil {
		return nil, err
	}
	complete := mean.Mul(delta)
	sum := doubles(complete.Reshape(x.Size(0), -1).SumDim(1, false))
	end, start := doubles(e.target(x)), doubles(e.target(base.Expand(x.Shape()...)))
	if e.shared() {
		for k := 1; k < len(sum); k++ {
			sum[0] += sum[k]
		}
	}
	for k, i := range e.batch {
		if e.shared() {
			n := float64(len(e.batch))
			s.Change[i], s.Gap[i] = (end[0]-start[0])/n, math.Abs(sum[0]-(end[0]-start[0]))/n
			continue
		}
		s.Change[i], s.Gap[i] = end[k]-start[k], math.Abs(sum[k]-(end[k]-start[k]))
	}
	if e.IGTimesInput {
		return complete, nil
	}
	return mean, nil
}

// meanGradient returns the mean of dF/dx over the points base + alpha * delta: [B, T, E]. Points go
// through the model together as far as wordsAtOnce allows: many points of few sentences, one point
// of many.
func (e *explainer) meanGradient(base, delta *torch.Tensor) (*torch.Tensor, error) {
	b, t, width := delta.Size(0), delta.Size(1), delta.Size(2)
	together := max(1, wordsAtOnce/int(b*t))
	if e.shared() {
		together = 1
	}
	alphas, weights := nodes(e.IGRule, e.IGSteps)
	mean := torch.Zeros(b, t, width)
	for len(alphas) > 0 {
		n := min(together, len(alphas))
		err := torch.Scoped(func() error {
			path := base.Add(torch.FromFloats(alphas[:n], int64(n), 1, 1, 1).Mul(delta)).Reshape(int64(n)*b, t, width)
			if e.Sampling { // the authors drop out inputs that were dropped out before, anew at every point
				path = path.Dropout(e.model.Config.Dropout, true)
			}
			g, err := e.gradient(path)
			if err != nil {
				return err
			}
			weight, flat := torch.FromFloats(weights[:n], 1, int64(n)), g.Reshape(int64(n), b*t*width)
			part := weight.MatMul(flat).Reshape(b, t, width)
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
