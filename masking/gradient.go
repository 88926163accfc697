package masking

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// gradient returns dF/dx for inputs x [n*B, T, E], n versions of the batch: as no sentence's F
// depends on another, the gradient of their sum holds every sentence's own.
func (e *explainer) gradient(x *torch.Tensor) (*torch.Tensor, error) {
	var g *torch.Tensor
	err := torch.WithGrad(func() error {
		leaf := x.Leaf()
		g = torch.Grads([]*torch.Tensor{e.target(leaf)}, []*torch.Tensor{leaf})[0].Keep()
		return nil
	})
	return g, err
}

// target returns F of inputs x [n*B, T, E]: [n*B], or [1] for the whole batch where sentences share
// a loss (n is 1 then).
func (e *explainer) target(x *torch.Tensor) *torch.Tensor {
	out := e.model.FromInputs(x)
	batch := slices.Repeat(e.batch, int(x.Size(0))/len(e.batch))
	switch {
	case e.shared():
		loss := e.loss
		loss.Reduction = recipe.Sum
		return loss.Of(out, e.data, batch).Reshape(1)
	case e.AttrTarget == policy.Loss:
		return e.loss.Each(out, e.data, batch)
	default:
		return out.Logits.Mul(e.signs(batch)).SumDim(1, false)
	}
}

// shared tells whether F is one number for the whole batch.
func (e *explainer) shared() bool {
	return e.AttrTarget == policy.Loss && e.loss.ConicityAxis == recipe.BatchAxis && e.loss.LambdaCon != 0
}

// signs returns 1 in the column of every sentence's style and -1 in the other's: [B, 2].
func (e *explainer) signs(batch []int) *torch.Tensor {
	flat := make([]float32, 0, 2*len(batch))
	for _, i := range batch {
		own := float32(1 - 2*e.data.Styles[i])
		flat = append(flat, own, -own)
	}
	return torch.FromFloats(flat, int64(len(batch)), 2)
}
