package divlstm

import (
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Loss is the objective (the paper's appendix, "The Diversity Driven LSTM"), with y the style of
// sentence P and H its states:
//
//	L(theta_Div) = -log p_Div(y | P) + lambda_con conicity(H)
//
// The cross-entropy is averaged or (the authors' code) summed over the batch. The zero values of Axis
// and Form are over time, of absolute cosines.
type Loss struct {
	LambdaCon float64
	Reduction torch.Reduction // of the cross-entropy
	Axis      ConicityAxis
	Form      ConicityForm
}

// Of returns L(theta_Div) on a batch of d, a scalar.
func (l Loss) Of(out Output, d nn.Labelled, batch []int) *torch.Tensor {
	total := d.CrossEntropy(out.Logits, batch, l.Reduction)
	if l.LambdaCon != 0 {
		total = total.Add(batchConicity(out.States, l.Axis, l.Form).Scale(l.LambdaCon))
	}
	return total
}

// Each returns every sentence's objective as if it were a batch of one, with conicity over time
// whatever Axis says: [B].
func (l Loss) Each(out Output, d nn.Labelled, batch []int) *torch.Tensor {
	each := d.CrossEntropy(out.Logits, batch, torch.ReduceNone)
	if l.LambdaCon != 0 {
		each = each.Add(sentenceConicity(out.States, l.Form).Scale(l.LambdaCon))
	}
	return each
}
