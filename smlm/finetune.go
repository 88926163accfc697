package smlm

import (
	"context"
	"errors"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// FinetuneLoss weighs the terms of both players. s is the style of a sentence, s' the opposite one.
type FinetuneLoss struct {
	Style       float64 // lambda_sta: -log p_cls(s' | x^s') with s' asked for
	Reconstruct float64 // lambda_rec: same-style reconstruction; 0 is the paper's text, and collapses to one word everywhere
	// ReconstructInverse is lambda_rec_inv: -log q of the source's words with s' asked for. It is in no equation of the paper.
	ReconstructInverse float64
	// HeadInverse is the weight w of what the head is to unlearn, L_cls = CE(head(rec), s) - w CE(head(inv), s'): 0.1 in the
	// published code, 0 in the paper.
	HeadInverse float64
	IncludeCls  bool // the head averages the state of <s_cls> too, which the model's frame must have
	Objective        // of both reconstruction terms
}

// Finetune is Algorithm 1's second loop: in every batch the model is moved to please the head on transferred sentences, then
// the head is trained to tell the styles of same-style reconstructions apart (L_cls). Both directions go through the encoder as
// one batch. The last weights are kept: no dev figure may choose a fine-tuned model here.
func (m *Model) Finetune(ctx context.Context, head *Head, train, dev Data, loss FinetuneLoss, r nn.Recipe) (*nn.History, error) {
	if loss.IncludeCls && !m.Config.Frame.Cls {
		return nil, errors.New("the head cannot average the state of <s_cls>: the model was trained on inputs without it")
	}
	opt, headOpt := r.Adam(m.Params), nn.NewAdam(head.Params, r.LR, r.Beta1, r.Beta2, 0, 0)
	defer opt.Free()
	defer headOpt.Free()
	r.KeepLast = true
	step := func(batch []int) (float64, error) {
		var total, cls *torch.Tensor
		torch.Autocast(r.BF16, func() { total, cls = m.players(head, train, batch, loss, true) })
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

// players returns the loss of the model, and that of the head, which sees detached states and so moves the head alone.
func (m *Model) players(head *Head, d Data, batch []int, loss FinetuneLoss, train bool) (total, cls *torch.Tensor) {
	f, b := m.Config.Frame, int64(len(batch))
	both := m.enc.forward(torch.Cat(0, f.inputs(d, batch, same), f.inputs(d, batch, other)), train)
	rec, inv := both.Narrow(0, 0, b), both.Narrow(0, b, b)
	pooled := f.words(both)
	if loss.IncludeCls {
		pooled = f.wordsAndCls(both)
	}
	judged := func(states *torch.Tensor, to dest) *torch.Tensor {
		return torch.CrossEntropy(head.Logits(states), d.styles(batch, to), torch.ReduceMean)
	}
	recPooled, invPooled := pooled.Narrow(0, 0, b), pooled.Narrow(0, b, b)
	total = judged(invPooled, other).Scale(loss.Style)
	for _, term := range []struct {
		states *torch.Tensor
		to     dest
		weight float64
	}{{rec, same, loss.Reconstruct}, {inv, other, loss.ReconstructInverse}} {
		if term.weight == 0 {
			continue
		}
		if l, _ := m.reconstruction(term.states, d, batch, term.to, loss.Objective); l != nil {
			total = total.Add(l.Scale(term.weight))
		}
	}
	cls = judged(recPooled.Detach(), same)
	if loss.HeadInverse != 0 {
		cls = cls.Sub(judged(invPooled.Detach(), other).Scale(loss.HeadInverse))
	}
	return total, cls
}
