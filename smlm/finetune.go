package smlm

import (
	"context"
	"errors"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// FinetuneLoss weighs the terms of what [Model.Finetune] and [Model.FinetuneJudged] minimise. Of the
// reading DiscInvWeight alone is read, which the caller sets to the weight that the reading comes to.
type FinetuneLoss struct {
	recipe.Finetune
	Objective // of the reconstruction terms
}

// Finetune is the second loop of the paper's Algorithm 1, an adversarial training of the model (the
// generator) against a style head (the discriminator, theta_cls), as we read it:
//
//	minimize L_FT  w.r.t. theta_SMLM
//	minimize L_cls w.r.t. theta_cls
//
// The algorithm prints L_BS and both parameters in the first line; section "Fine-tuning for TST"
// has L_FT, and [adversarialLosses] the equations. Both steps are of one forward pass, where the
// algorithm takes turns. Both directions go through the encoder as one batch. The head's gradients
// are not clipped, nor its learning rate warmed up: neither has a value in the paper.
// The last weights are kept: no dev figure may choose a fine-tuned model here.
func (m *Model) Finetune(
	ctx context.Context, head *Head, train, dev corpus.Encoded, loss FinetuneLoss, r nn.Recipe,
) (*nn.History, error) {
	if loss.IncludeCls && !m.Config.ClsToken {
		return nil, errors.New(
			"the head cannot average the state of <s_cls>: the model was trained on inputs without it",
		)
	}
	forHead := r.Training
	forHead.Clip, forHead.Warmup = 0, 0
	opt, headOpt := nn.NewAdam(m.Params, r.Training), nn.NewAdam(head.Params, forHead)
	defer opt.Free()
	defer headOpt.Free()
	r.KeepLast = true
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt, headOpt},
		Batches:    r.Shuffled(lengths(train)),
		Prepare: func(batch []int) nn.Pass {
			b := m.adversarialBatch(train, batch, loss)
			return func() (generator *torch.Tensor) {
				var discriminator *torch.Tensor
				r.Autocast(func() { generator, discriminator = m.adversarialLosses(head, b, true) })
				generator.Add(discriminator).Backward()
				return generator
			}
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, loss.Objective) },
	})
}

// adversarialBatch is a batch that generator and discriminator see, before it becomes tensors.
type adversarialBatch struct {
	loss     FinetuneLoss
	in       nn.Grid // the batch with [dst] = s, then with [dst] = s'
	rec, inv targets // of the reconstruction terms, with [dst] = s and with [dst] = s'
	own, opp []int64 // s and s'
}

func (m *Model) adversarialBatch(d corpus.Encoded, batch []int, loss FinetuneLoss) adversarialBatch {
	codes := m.Config.codes()
	return adversarialBatch{
		loss: loss,
		in:   codes.grid(d, batch, same).Over(codes.grid(d, batch, other)),
		rec:  codes.targets(d, batch, same, loss.Objective), inv: codes.targets(d, batch, other, loss.Objective),
		own: same.styles(d, batch), opp: other.styles(d, batch),
	}
}

// adversarialLosses returns the losses of fine-tuning, where p_cls is the head on the mean state of
// a sentence's words. The paper says what the head minimises in two ways. Section "Fine-tuning for
// TST" prints
//
//	L_cls(theta_cls) = -log p_cls(s | x^s), x^s the same-style reconstruction
//	L_FT             = min over theta_SMLM, max over theta_cls of -log p_cls(s' | x^s')
//
// by which the head minimises L_cls - L_FT (recipe.MinMax). Algorithm 1 has, for each mini-batch,
//
//	minimize L_BS  w.r.t. theta_SMLM, theta_cls
//	minimize L_cls w.r.t. theta_cls
//
// by which it minimises L_cls alone (recipe.Algorithm). Here
//
//	generator     = lambda_sta L_FT + lambda_rec L_BS - lambda_rec_inv log q(x^s | x^m, [dst] = s')
//	discriminator = L_cls - DiscInvWeight L_FT
//
// with DiscInvWeight 1 and 0 in the two readings (docs/decisions/017-two-readings.md).
//
// The generator's loss has the head's weights as constants and the discriminator's the states, so
// that each moves its own parameters alone although one backward pass serves both.
func (m *Model) adversarialLosses(
	head *Head, batch adversarialBatch, train bool,
) (generator, discriminator *torch.Tensor) {
	codes, n := m.Config.codes(), int64(len(batch.own))
	both := m.enc.forward(batch.in.Tensor(), train)
	rec, inv := both.Narrow(0, 0, n), both.Narrow(0, n, n)
	pooled := codes.words(both)
	if batch.loss.IncludeCls {
		pooled = codes.wordsAndCls(both)
	}
	recPooled, invPooled := pooled.Narrow(0, 0, n), pooled.Narrow(0, n, n)
	// nll is the batch's mean of -log p_cls(style | states).
	nll := func(head *Head, states *torch.Tensor, styles []int64) *torch.Tensor {
		return torch.CrossEntropy(head.Logits(states), ints(styles), torch.ReduceMean)
	}
	generator = nll(head.fixed(), invPooled, batch.opp).Scale(batch.loss.LambdaSta)
	for _, term := range []struct {
		states *torch.Tensor
		want   targets
		weight float64
	}{{rec, batch.rec, batch.loss.LambdaRec}, {inv, batch.inv, batch.loss.LambdaRecInv}} {
		if term.weight == 0 {
			continue
		}
		if l := m.lossOf(term.states, term.want); l != nil {
			generator = generator.Add(l.Scale(term.weight))
		}
	}
	discriminator = nll(head, recPooled.Detach(), batch.own)
	if batch.loss.DiscInvWeight != 0 {
		unlearn := nll(head, invPooled.Detach(), batch.opp)
		discriminator = discriminator.Sub(unlearn.Scale(batch.loss.DiscInvWeight))
	}
	return generator, discriminator
}
