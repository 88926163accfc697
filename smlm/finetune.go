package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// FinetuneLoss holds the settings of the loss that [Model.Finetune] minimises.
type FinetuneLoss struct {
	recipe.Finetune
	Objective // says which words count in the reconstruction term
}

// Finetune is the second loop of the paper's Algorithm 1 as we read it. It trains the model (the
// generator) and a style head (the discriminator, theta_cls) adversarially:
//
//	minimize L_FT  w.r.t. theta_SMLM
//	minimize L_cls w.r.t. theta_cls
//
// In the printed algorithm, the first line minimises L_BS with respect to both parameters instead;
// section "Fine-tuning for TST" defines L_FT. [adversarialLosses] has the equations. The algorithm
// alternates the two steps. In this code, both steps share one forward pass, with reconstruction
// and transfer in one batch. The head's gradients are not clipped and its learning rate has no
// warmup, because the paper gives no values for them. The last weights are kept: the dev loss
// measures only reconstruction, so it must not choose a fine-tuned model.
//
// train.Targets holds the target styles s'. Sentences with corpus.NoTarget are not rewritten and
// count only in L_cls and L_BS. They are in train because the head needs sentences of every style.
// dev.Targets is ignored.
func (m *Model) Finetune(
	ctx context.Context, head *Head, train, dev corpus.Encoded, loss FinetuneLoss, r nn.Recipe,
) (*nn.History, error) {
	headTraining := r.Training
	headTraining.Clip, headTraining.Warmup = 0, 0
	opt, headOpt := nn.NewAdam(m.Params, r.Training), nn.NewAdam(head.Params, headTraining)
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

// adversarialBatch is a batch for the generator and the discriminator, before it becomes tensors.
type adversarialBatch struct {
	loss           FinetuneLoss
	in             nn.Grid // first all sentences, with [dst] = s; then the sentences to rewrite, with [dst] = s'
	rec            targets // targets of the reconstruction loss
	source, target []int64 // styles s of all sentences; target styles s' of the sentences to rewrite
}

func (m *Model) adversarialBatch(d corpus.Encoded, batch []int, loss FinetuneLoss) adversarialBatch {
	codes := m.Config.codes()
	b := adversarialBatch{
		loss:   loss,
		in:     codes.grid(d, batch, d.Styles),
		rec:    codes.targets(d, batch, loss.Objective),
		source: pick(d.Styles, batch),
	}
	rewritten := lists.Filter(batch, func(i int) bool { return d.Targets[i] != corpus.NoTarget })
	if len(rewritten) > 0 {
		b.in = b.in.Over(codes.grid(d, rewritten, d.Targets))
		b.target = pick(d.Targets, rewritten)
	}
	return b
}

// adversarialLosses returns the losses of fine-tuning. p_cls is the head, applied to the mean state
// of a sentence's words. The paper gives two objectives for the head. Section "Fine-tuning for TST"
// prints
//
//	L_cls(theta_cls) = -log p_cls(s | x^s), x^s the same-style reconstruction
//	L_FT             = min over theta_SMLM, max over theta_cls of -log p_cls(s' | x^s')
//
// so the head minimises L_cls - L_FT (recipe.MinMax). Algorithm 1 has, for each mini-batch,
//
//	minimize L_BS  w.r.t. theta_SMLM, theta_cls
//	minimize L_cls w.r.t. theta_cls
//
// so the head minimises L_cls alone (recipe.Algorithm). Here
//
//	generator     = lambda_sta L_FT + lambda_rec L_BS
//	discriminator = L_cls, or L_cls - L_FT if the reading is recipe.MinMax
//
// (docs/decisions/017-two-readings.md).
//
// The generator's loss treats the head's weights as constants, and the discriminator's loss treats
// the states as constants. So each loss trains only its own parameters, although a single backward
// pass computes the gradients of both losses.
func (m *Model) adversarialLosses(
	head *Head, batch adversarialBatch, train bool,
) (generator, discriminator *torch.Tensor) {
	codes, n, rewritten := m.Config.codes(), int64(len(batch.source)), int64(len(batch.target))
	states := m.enc.forward(batch.in.Tensor(), train)
	pooled := codes.words(states)
	// nll returns the mean of -log p_cls(style | states) over a batch.
	nll := func(head *Head, states *torch.Tensor, styles []int64) *torch.Tensor {
		return torch.CrossEntropy(head.Logits(states), ints(styles), torch.ReduceMean)
	}
	generator = torch.Zeros(1).Sum()
	if rewritten > 0 {
		generator = nll(head.fixed(), pooled.Narrow(0, n, rewritten), batch.target).Scale(batch.loss.LambdaSta)
	}
	if weight := batch.loss.LambdaRec; weight != 0 {
		if l := m.lossOfAll(states.Narrow(0, 0, n), batch.rec); l != nil {
			generator = generator.Add(l.Scale(weight))
		}
	}
	discriminator = nll(head, pooled.Narrow(0, 0, n).Detach(), batch.source)
	if batch.loss.Reading == recipe.MinMax && rewritten > 0 {
		unlearn := nll(head, pooled.Narrow(0, n, rewritten).Detach(), batch.target)
		discriminator = discriminator.Sub(unlearn)
	}
	return generator, discriminator
}

// Head is the discriminator p_cls of fine-tuning: a linear classifier of the mean state of a
// sentence's words (the paper, footnote to L_cls). It is trained from scratch and is not the
// evaluation classifier.
type Head struct {
	Params *nn.Params
	linear *nn.Linear
}

// NewHead returns a head for states of dim numbers.
func NewHead(dim, styles int) *Head {
	p := nn.NewParams()
	return &Head{Params: p, linear: nn.NewLinear(p, "head", dim, styles)}
}

// Logits maps states [B, T, d] to style logits [B, S].
func (h *Head) Logits(states *torch.Tensor) *torch.Tensor {
	return h.linear.Forward(states.MeanDim(1, false))
}

// The method fixed returns the head with constant weights, for losses that must not train the head.
func (h *Head) fixed() *Head {
	return &Head{linear: &nn.Linear{W: h.linear.W.Detach(), B: h.linear.B.Detach()}}
}
