package divlstm

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// conicity returns, for states h [B, T, H], the mean over time of |cosine(h_t, mean_t h)|: [B], 1
// where states are parallel (Mohankumar et al. 2020, section 3.2; the paper's appendix, without the
// absolute value):
//
//	ATM(v_i, V) = cosine(v_i, 1/m sum_j v_j), conicity(V) = 1/m sum_i ATM(v_i, V)
//
// and 1/m sum_i |ATM(v_i, V)| here. The absolute value gives it its lower bound: with the signed
// cosine, minimising drives it to about -0.8 and the accuracy away
// (docs/decisions/004-conicity.md).
func conicity(h *torch.Tensor) *torch.Tensor {
	return cosines(h, recipe.TimeAxis).Abs().MeanDim(1, false)
}

// batchConicity returns one number for a batch of states h [B, T, H], the term that LambdaCon
// multiplies. With the zero values of axis and form it is the mean of conicity.
func batchConicity(h *torch.Tensor, axis recipe.ConicityAxis, form recipe.ConicityForm) *torch.Tensor {
	c := cosines(h, axis)
	switch form {
	case recipe.SignedForm:
		return c.Mean()
	case recipe.AbsMeanForm:
		return c.Mean().Abs()
	default:
		return c.Abs().MeanDim(1, false).Mean()
	}
}

// sentenceConicity returns every sentence's own conicity over time, as if it were a batch of one:
// [B].
func sentenceConicity(h *torch.Tensor, form recipe.ConicityForm) *torch.Tensor {
	c := cosines(h, recipe.TimeAxis)
	switch form {
	case recipe.SignedForm:
		return c.MeanDim(1, false)
	case recipe.AbsMeanForm:
		return c.MeanDim(1, false).Abs()
	default:
		return c.Abs().MeanDim(1, false)
	}
}

// cosines returns the cosine of every state with the mean state along the axis: [B, T].
func cosines(h *torch.Tensor, axis recipe.ConicityAxis) *torch.Tensor {
	dim := int64(1)
	if axis == recipe.BatchAxis {
		dim = 0
	}
	return torch.MeanCosine(h, dim)
}
