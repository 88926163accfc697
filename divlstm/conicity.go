package divlstm

import "github.com/smlm-exp/smlm-exp/internal/torch"

// ConicityAxis says over which states the mean and the cosines of conicity run.
type ConicityAxis string

// The axes; "" is TimeAxis.
const (
	TimeAxis  ConicityAxis = "time"  // the states of a sentence: the paper
	BatchAxis ConicityAxis = "batch" // the states of a batch's sentences at one position: what the authors' code does
)

// ConicityForm says where the absolute value is taken.
type ConicityForm string

// The forms; "" is AbsForm.
const (
	AbsForm     ConicityForm = "abs"      // of every cosine (Mohankumar et al. 2020)
	SignedForm  ConicityForm = "signed"   // nowhere: the paper's formula as printed
	AbsMeanForm ConicityForm = "abs_mean" // of the mean of all cosines of a batch: the authors' code
)

// Conicity returns, for states h [B, T, H], the mean over time of |cosine(h_t, mean_t h)|: [B], 1 where
// states are parallel (Mohankumar et al. 2020, section 3.2; the paper's appendix, without the
// absolute value):
//
//	ATM(v_i, V) = cosine(v_i, 1/m sum_j v_j), conicity(V) = 1/m sum_i ATM(v_i, V)
//
// The absolute value gives it its lower bound: with the signed cosine, minimising drives it to about
// -0.8 and the accuracy away (docs/decisions/004-conicity.md).
func Conicity(h *torch.Tensor) *torch.Tensor {
	return cosines(h, TimeAxis).Abs().MeanDim(1, false)
}

// batchConicity returns one number for a batch of states h [B, T, H], the term that LambdaCon
// multiplies. With the zero values of axis and form it is the mean of Conicity.
func batchConicity(h *torch.Tensor, axis ConicityAxis, form ConicityForm) *torch.Tensor {
	c := cosines(h, axis)
	switch form {
	case SignedForm:
		return c.Mean()
	case AbsMeanForm:
		return c.Mean().Abs()
	default:
		return c.Abs().MeanDim(1, false).Mean()
	}
}

// sentenceConicity returns every sentence's own conicity over time, as if it were a batch of one: [B].
func sentenceConicity(h *torch.Tensor, form ConicityForm) *torch.Tensor {
	c := cosines(h, TimeAxis)
	switch form {
	case SignedForm:
		return c.MeanDim(1, false)
	case AbsMeanForm:
		return c.MeanDim(1, false).Abs()
	default:
		return c.Abs().MeanDim(1, false)
	}
}

// cosines returns the cosine of every state with the mean state along the axis: [B, T].
func cosines(h *torch.Tensor, axis ConicityAxis) *torch.Tensor {
	dim := int64(1)
	if axis == BatchAxis {
		dim = 0
	}
	return torch.MeanCosine(h, dim)
}
