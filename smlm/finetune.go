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
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt, headOpt},
		Batches:    r.Shuffled(train.lengths()),
		Prepare: func(batch []int) nn.Pass {
			g := m.game(train, batch, loss)
			return func() (total *torch.Tensor) {
				var cls *torch.Tensor
				torch.Autocast(r.BF16, func() { total, cls = m.players(head, g, true) })
				total.Add(cls).Backward()
				return total
			}
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, loss.Objective) },
	})
}

// game is a batch that both players see, before it becomes tensors.
type game struct {
	loss     FinetuneLoss
	in       nn.Grid // the batch with its own styles asked for, then with the opposite ones
	rec, inv counted
	own, opp []int64 // the styles, and the opposite ones
}

func (m *Model) game(d Data, batch []int, loss FinetuneLoss) game {
	f := m.Config.Frame
	return game{
		loss: loss,
		in:   f.grid(d, batch, same).Over(f.grid(d, batch, other)),
		rec:  f.counted(d, batch, same, loss.Objective), inv: f.counted(d, batch, other, loss.Objective),
		own: d.styles(batch, same), opp: d.styles(batch, other),
	}
}

// players returns the loss of the model, which sees the head's weights as constants, and that of the head, which sees the states as
// constants: each moves its own player alone, although one pass makes both.
func (m *Model) players(head *Head, g game, train bool) (total, cls *torch.Tensor) {
	f, b := m.Config.Frame, int64(len(g.own))
	both := m.enc.forward(g.in.Tensor(), train)
	rec, inv := both.Narrow(0, 0, b), both.Narrow(0, b, b)
	pooled := f.words(both)
	if g.loss.IncludeCls {
		pooled = f.wordsAndCls(both)
	}
	recPooled, invPooled := pooled.Narrow(0, 0, b), pooled.Narrow(0, b, b)
	judged := func(logits *torch.Tensor, styles []int64) *torch.Tensor {
		return torch.CrossEntropy(logits, ints(styles), torch.ReduceMean)
	}
	total = judged(head.fixed().Logits(invPooled), g.opp).Scale(g.loss.Style)
	for _, term := range []struct {
		states *torch.Tensor
		c      counted
		weight float64
	}{{rec, g.rec, g.loss.Reconstruct}, {inv, g.inv, g.loss.ReconstructInverse}} {
		if term.weight == 0 {
			continue
		}
		if l := m.lossOf(term.states, term.c); l != nil {
			total = total.Add(l.Scale(term.weight))
		}
	}
	cls = judged(head.Logits(recPooled.Detach()), g.own)
	if g.loss.HeadInverse != 0 {
		cls = cls.Sub(judged(head.Logits(invPooled.Detach()), g.opp).Scale(g.loss.HeadInverse))
	}
	return total, cls
}
