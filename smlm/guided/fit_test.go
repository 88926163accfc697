package guided

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"gonum.org/v1/gonum/mat"
)

// The shipped rankers were fitted with these functions. TestShippedRankers repeats it.

// ridge is the weight of the squares of a regression's weights beside the log likelihood.
const ridge = 3

// isUneven tells whether a word of the source has become none or several.
func (r *Rated) isUneven() bool {
	return slices.ContainsFunc(r.Edits, func(e Edit) bool { return len(e.New) != 1 })
}

// fewestOfKind is of how many outputs of a kind a ranker of its own is fitted.
const fewestOfKind = 100

// fitRanker fits a ranker to rated outputs, and one to the uneven ones if there are enough of both
// kinds. It is the same whatever their order, but for rounding.
func fitRanker(rated []Rated) *Ranker {
	uneven := lists.Where(rated, func(r Rated) bool { return r.isUneven() })
	even := lists.Where(rated, func(r Rated) bool { return !r.isUneven() })
	if len(uneven) < fewestOfKind || len(even) < fewestOfKind {
		return fit(rated)
	}
	r := fit(even)
	r.Uneven = fit(uneven)
	return r
}

// fit is fitRanker for outputs of one kind.
func fit(rated []Rated) *Ranker {
	r := &Ranker{}
	n := float64(len(rated))
	for i := range r.Mean {
		for k := range rated {
			r.Mean[i] += rated[k].Features[i] / n
		}
		for k := range rated {
			r.SD[i] += (rated[k].Features[i] - r.Mean[i]) * (rated[k].Features[i] - r.Mean[i]) / n
		}
		if r.SD[i] = math.Sqrt(r.SD[i]); r.SD[i] == 0 {
			r.SD[i] = 1
		}
	}
	z, y := make([]Features, len(rated)), make([]float64, len(rated))
	for k := range rated {
		z[k] = r.standard(rated[k].Features)
	}
	for score := range r.Of {
		for k := range rated {
			y[k] = rated[k].best(score)
		}
		r.Of[score] = regress(z, y)
	}
	return r
}

// regress fits a logistic regression of shares y by Newton's method: its log likelihood less
// ridge/2 of the squares of its weights is concave, so that there is one best.
func regress(z []Features, y []float64) (of Regression) {
	const n = int(numFeatures) + 1 // the bias is the last
	for range 100 {
		gradient, curvature := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for i, w := range of.Weights {
			gradient.SetVec(i, -ridge*w)
			curvature.SetSym(i, i, ridge)
		}
		curvature.SetSym(n-1, n-1, 1e-9)
		for k := range z {
			p := 1 / (1 + math.Exp(-of.logit(z[k])))
			x := mat.NewVecDense(n, append(slices.Clone(z[k][:]), 1))
			gradient.AddScaledVec(gradient, y[k]-p, x)
			curvature.SymRankOne(curvature, p*(1-p), x)
		}
		var c mat.Cholesky
		step := mat.NewVecDense(n, nil)
		if !c.Factorize(curvature) || c.SolveVecTo(step, gradient) != nil {
			return of
		}
		for i := range of.Weights {
			of.Weights[i] += step.AtVec(i)
		}
		of.Bias += step.AtVec(n - 1)
		if mat.Norm(step, 2) < 1e-10 {
			return of
		}
	}
	return of
}
