package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Head is the style discriminator of fine-tuning: one linear layer over the mean state of a sentence's words (the paper,
// footnote to L_cls). It is trained here from nothing and is not the evaluation classifier.
type Head struct {
	Params *nn.Params
	out    *nn.Linear
}

// NewHead returns a head for states of dim numbers.
func NewHead(dim int) *Head {
	p := nn.NewParams()
	return &Head{Params: p, out: nn.NewLinear(p, "head", dim, 2)}
}

// Logits maps states [B, T, d] to style logits [B, 2].
func (h *Head) Logits(states *torch.Tensor) *torch.Tensor {
	return h.out.Forward(states.MeanDim(1, false))
}

// FinetuneLoss weighs the two terms of the model's objective.
type FinetuneLoss struct {
	Style       float64 // lambda_sta: -log p_cls(s' | x^s') with the opposite style asked for
	Reconstruct float64 // lambda_rec: same-style reconstruction; 0 is the paper's text, and collapses to one word everywhere
	Objective
}

// Finetune is Algorithm 1's second loop: in every batch the model is moved to please the head on transferred sentences, then
// the head is trained to tell the styles of same-style reconstructions apart (L_cls). Both directions go through the encoder as
// one batch. The last weights are kept: no dev figure may choose a fine-tuned model here.
func (m *Model) Finetune(ctx context.Context, head *Head, train, dev Data, loss FinetuneLoss, r nn.Recipe) (*nn.History, error) {
	opt, headOpt := r.Adam(m.Params), nn.NewAdam(head.Params, r.LR, r.Beta1, r.Beta2, 0, 0)
	defer opt.Free()
	defer headOpt.Free()
	r.KeepLast = true
	step := func(batch []int) (float64, error) {
		var total, cls *torch.Tensor
		b := int64(len(batch))
		torch.Autocast(r.BF16, func() {
			both := m.States(torch.Cat(0, train.inputs(batch, same), train.inputs(batch, other)), true)
			rec, inv := both.Narrow(0, 0, b), both.Narrow(0, b, b)
			total = torch.CrossEntropy(head.Logits(inv), train.styles(batch, other), torch.ReduceMean).Scale(loss.Style)
			if loss.Reconstruct != 0 {
				if l := m.reconstruction(rec, train, batch, loss.Objective); l != nil {
					total = total.Add(l.Scale(loss.Reconstruct))
				}
			}
			cls = torch.CrossEntropy(head.Logits(rec.Detach()), train.styles(batch, same), torch.ReduceMean)
		})
		total.Backward()
		torch.ZeroGrad(head.Params.All()) // the model's loss must not move the head
		if _, err := opt.Step(); err != nil {
			return 0, err
		}
		cls.Backward()
		_, err := headOpt.Step()
		return total.Item(), err
	}
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt, headOpt},
		Batches:    r.Shuffled(train.lengths()),
		Step:       step,
		Validate:   func() (nn.Validation, error) { return m.Evaluate(ctx, dev, loss.Objective) },
	})
}
