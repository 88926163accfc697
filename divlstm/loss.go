package divlstm

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Loss is the objective (the paper's appendix, "The Diversity Driven LSTM"), with y the style of
// sentence P and H its states:
//
//	L(theta_Div) = -log p_Div(y | P) + lambda_con conicity(H)
//
// The cross-entropy is averaged or (the authors' code) summed over the batch. The zero values of
// axis and form are over time, of absolute cosines.
type Loss struct {
	LambdaCon float64
	recipe.DivLSTMLoss
}

// Of returns L(theta_Div) on a batch of d, a scalar.
func (l Loss) Of(out Output, d corpus.Encoded, batch []int) *torch.Tensor {
	total := nn.CrossEntropy(out.Logits, d.Styles, batch, l.reduction())
	if l.LambdaCon != 0 {
		total = total.Add(batchConicity(out.States, l.ConicityAxis, l.ConicityForm).Scale(l.LambdaCon))
	}
	return total
}

func (l Loss) reduction() torch.Reduction {
	if l.Reduction == recipe.Sum {
		return torch.ReduceSum
	}
	return torch.ReduceMean
}

// Each returns every sentence's objective as if it were a batch of one, with conicity over time
// whatever ConicityAxis says: [B].
func (l Loss) Each(out Output, d corpus.Encoded, batch []int) *torch.Tensor {
	each := nn.CrossEntropy(out.Logits, d.Styles, batch, torch.ReduceNone)
	if l.LambdaCon != 0 {
		each = each.Add(sentenceConicity(out.States, l.ConicityForm).Scale(l.LambdaCon))
	}
	return each
}
