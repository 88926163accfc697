package smlm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// FinetuneLoss weighs the terms of what [Model.Finetune] and [Model.FinetuneJudged] minimise.
type FinetuneLoss struct {
	recipe.Finetune
	Objective       // of the reconstruction terms
	recipe.Slotting // that of the SMLM's training
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
// are not clipped, nor its learning rate warmed up: neither has a value in the paper. The last
// weights are kept: no dev loss may choose a fine-tuned model here. The training sentences say in
// Asked which style s' is. The head needs sentences of every style, so sentences that are not
// rewritten are there too, with corpus.NotAsked: they count in L_cls and L_BS alone. What is asked
// of dev does not matter.
func (m *Model) Finetune(
	ctx context.Context, head *Head, train, dev corpus.Encoded, loss FinetuneLoss, r nn.Recipe,
) (*nn.History, error) {
	if loss.IncludeCls && !m.Config.ClsToken {
		return nil, errors.New(
			"the head cannot average the state of <s_cls>, because the model was trained on inputs without it",
		)
	}
	forHead := r.Training
	forHead.Clip, forHead.Warmup = 0, 0
	opt, headOpt := nn.NewAdam(m.Params, r.Training), nn.NewAdam(head.Params, forHead)
	defer opt.Free()
	defer headOpt.Free()
	r.KeepLast = true
	batches := epochs(&train, VariedMasks{}, loss.Slotting, r)
	dev = withSlots(dev, loss.Slotting, r.Seed, devEpoch)
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt, headOpt},
		Batches:    batches,
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
	loss       FinetuneLoss
	in         nn.Grid // the batch with [dst] = s, then what of it is rewritten with [dst] = s'
	rec, inv   targets // of the reconstruction terms, with [dst] = s and with [dst] = s'
	own, asked []int64 // s, and s' of what is rewritten
}

func (m *Model) adversarialBatch(d corpus.Encoded, batch []int, loss FinetuneLoss) adversarialBatch {
	codes := m.Config.codes()
	b := adversarialBatch{
		loss: loss,
		in:   codes.grid(d, batch, d.Styles),
		rec:  codes.targets(d, batch, d.Styles, loss.Objective),
		own:  pick(d.Styles, batch),
	}
	rewritten := lists.Where(batch, func(i int) bool { return d.Asked[i] != corpus.NotAsked })
	if len(rewritten) > 0 {
		b.in = b.in.Over(codes.grid(d, rewritten, d.Asked))
		b.inv, b.asked = codes.targets(d, rewritten, d.Asked, loss.Objective), pick(d.Asked, rewritten)
	}
	return b
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
//	discriminator = L_cls - w L_FT
//
// with w 1 and 0 in the two readings (recipe.Reading, docs/decisions/017-two-readings.md).
//
// The generator's loss has the head's weights as constants and the discriminator's the states, so
// that each moves its own parameters alone although one backward pass serves both.
func (m *Model) adversarialLosses(
	head *Head, batch adversarialBatch, train bool,
) (generator, discriminator *torch.Tensor) {
	codes, n, rewritten := m.Config.codes(), int64(len(batch.own)), int64(len(batch.asked))
	states := m.enc.forward(batch.in.Tensor(), train)
	pooled := codes.words(states)
	if batch.loss.IncludeCls {
		pooled = codes.wordsAndCls(states)
	}
	// nll is the batch's mean of -log p_cls(style | states).
	nll := func(head *Head, states *torch.Tensor, styles []int64) *torch.Tensor {
		return torch.CrossEntropy(head.Logits(states), ints(styles), torch.ReduceMean)
	}
	generator = torch.Zeros(1).Sum()
	reconstruct := func(states *torch.Tensor, want targets, weight float64) {
		if weight == 0 {
			return
		}
		if l := m.lossOfAll(states, want); l != nil {
			generator = generator.Add(l.Scale(weight))
		}
	}
	if rewritten > 0 {
		generator = nll(head.fixed(), pooled.Narrow(0, n, rewritten), batch.asked).Scale(batch.loss.LambdaSta)
	}
	reconstruct(states.Narrow(0, 0, n), batch.rec, batch.loss.LambdaRec)
	if rewritten > 0 {
		reconstruct(states.Narrow(0, n, rewritten), batch.inv, batch.loss.LambdaRecInv)
	}
	discriminator = nll(head, pooled.Narrow(0, 0, n).Detach(), batch.own)
	if w := batch.loss.Reading.Weight(batch.loss.DiscInvWeight); w != 0 && rewritten > 0 {
		unlearn := nll(head, pooled.Narrow(0, n, rewritten).Detach(), batch.asked)
		discriminator = discriminator.Sub(unlearn.Scale(w))
	}
	return generator, discriminator
}

// Head is the discriminator p_cls of fine-tuning: linear over the mean state of a sentence's words
// (the paper, footnote to L_cls). It is trained here from nothing and is not the evaluation
// classifier.
type Head struct {
	Params *nn.Params
	layers []*nn.Linear
}

// NewHead returns a head of so many styles for states of dim numbers: of one layer (the paper,
// footnote to L_cls), or of two, dim to dim to 2 with no non-linearity between, as in the published
// code.
func NewHead(dim, layers, styles int) *Head {
	p := nn.NewParams()
	if layers == 1 {
		return &Head{Params: p, layers: []*nn.Linear{nn.NewLinear(p, "head", dim, styles)}}
	}
	h := &Head{Params: p}
	for i := range layers - 1 {
		h.layers = append(h.layers, nn.NewLinear(p, fmt.Sprintf("head.%d", i), dim, dim))
	}
	h.layers = append(h.layers, nn.NewLinear(p, fmt.Sprintf("head.%d", layers-1), dim, styles))
	return h
}

// Logits maps states [B, T, d] to style logits [B, S].
func (h *Head) Logits(states *torch.Tensor) *torch.Tensor {
	x := states.MeanDim(1, false)
	for _, l := range h.layers {
		x = l.Forward(x)
	}
	return x
}

// fixed returns the head with its weights as constants, for a loss that must not move it.
func (h *Head) fixed() *Head {
	c := &Head{}
	for _, l := range h.layers {
		c.layers = append(c.layers, &nn.Linear{W: l.W.Detach(), B: l.B.Detach()})
	}
	return c
}

// A Judge is a style classifier whose weights stand still: what it thinks of words can be
// differentiated with respect to the vectors of those words.
type Judge interface {
	// Vectors returns the table of word vectors [V, E].
	Vectors() *torch.Tensor
	// OfVectors maps word vectors [B, T, E] to style logits [B, S].
	OfVectors(words *torch.Tensor) *torch.Tensor
}

// FinetuneJudged trains the model on the sentences it writes, with [dst] = s', at masks alone:
//
//	L = lambda_sta -log p_judge(s' | y) + lambda_KL KL(q(. | x^m, s') || q_before(. | x^m, s')) + lambda_rec L_BS
//
// y is the source with words drawn from q at the masks; gradients go through the draw as if it were
// its relaxation (straight-through Gumbel-softmax, Jang et al. 2017). With slots the empty word may
// be drawn too: the judge does not see it, and its vector is 0 in the relaxation. So the judge
// reads words, as it was trained to, where the head of [Model.Finetune] reads states that the model
// may shift at will, and q stays near what human text taught it. The judge is never the evaluation
// classifier. The last weights are kept. train.Asked says which style s' is.
func (m *Model) FinetuneJudged(
	ctx context.Context, judge Judge, train, dev corpus.Encoded, loss FinetuneLoss, r nn.Recipe,
) (*nn.History, error) {
	train, err := onlyMasked(train, "training")
	if err != nil {
		return nil, err
	}
	before := m.frozen()
	defer before.Params.Free()
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	r.KeepLast = true
	batches := epochs(&train, VariedMasks{}, loss.Slotting, r)
	dev = withSlots(dev, loss.Slotting, r.Seed, devEpoch)
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    batches,
		Prepare: func(batch []int) nn.Pass {
			b := m.judgedBatch(train, batch, loss.Objective)
			return r.Pass(func() *torch.Tensor { return m.judgedLoss(before, judge, b, loss, true) })
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, loss.Objective) },
	})
}

// judgedBatch is a batch before it becomes tensors.
type judgedBatch struct {
	same, other nn.Grid
	words       nn.Grid // the sources
	rec         targets
	masked      []int64 // the masked words, as rows of states [B, L, d] flattened to [B*L, d]
	asked       []int64 // s'
	// from is, of every word of each sentence, its place among the sources' words or, from B*T on,
	// among the masked ones.
	from [][]int64
}

func (m *Model) judgedBatch(d corpus.Encoded, batch []int, o Objective) judgedBatch {
	codes := m.Config.codes()
	b := judgedBatch{
		same: codes.grid(d, batch, d.Styles), other: codes.grid(d, batch, d.Asked), words: nn.Gather(d.IDs, batch),
		rec: codes.targets(d, batch, d.Styles, o), asked: pick(d.Asked, batch),
		masked: codes.targets(d, batch, d.Asked, Objective{Loss: recipe.Masked}).rows,
	}
	filled := int64(len(b.words.IDs))
	at := int64(0)
	for _, i := range batch {
		var from []int64
		for _, on := range d.Masks[i] {
			if on {
				from, filled = append(from, filled), filled+1
			} else {
				from = append(from, at)
			}
			at++
		}
		b.from = append(b.from, from)
	}
	return b
}

// judgedLoss returns L of FinetuneJudged for a batch.
func (m *Model) judgedLoss(before *Model, judge Judge, b judgedBatch, loss FinetuneLoss, train bool) *torch.Tensor {
	logq := m.logProbs(b.other, b.masked, train)
	total := m.judged(judge, logq, b, loss.Temperature).Scale(loss.LambdaSta)
	if loss.LambdaKL > 0 {
		old := before.logProbs(b.other, b.masked, false)
		kl := logq.Exp().Mul(logq.Sub(old)).Sum().Scale(1 / float64(len(b.masked)))
		total = total.Add(kl.Scale(loss.LambdaKL))
	}
	if loss.LambdaRec > 0 {
		if l := m.loss(m.enc.rows(b.same.Tensor(), b.rec.rows, train), b.rec); l != nil {
			total = total.Add(l.Scale(loss.LambdaRec))
		}
	}
	return total
}

// logProbs returns log q of every word that may be written, at some rows of states [K, V -
// firstWord]; with slots the empty word is one more, the last.
func (m *Model) logProbs(in nn.Grid, rows []int64, train bool) *torch.Tensor {
	logits := m.out.Forward(m.enc.rows(in.Tensor(), rows, train)).To(torch.Float)
	first := m.Config.firstWord()
	words := logits.Narrow(1, first, int64(m.Config.Vocab)-first)
	if m.Config.Slots > 0 {
		words = torch.Cat(1, words, logits.Narrow(1, emptyID, 1))
	}
	return words.LogSoftmax(1)
}

// judged returns the mean over the batch of -log p_judge(s' | y), y drawn by log q (see logProbs)
// at the masks. A sentence of which nothing is left counts as 0.
func (m *Model) judged(judge Judge, logq *torch.Tensor, b judgedBatch, temperature float64) *torch.Tensor {
	all := judge.Vectors()
	vectors := all.Narrow(0, m.Config.firstWord(), all.Size(0)-m.Config.firstWord())
	if m.Config.Slots > 0 {
		vectors = torch.Cat(0, vectors, torch.Zeros(1, all.Size(1)))
	}
	noisy := logq.Add(gumbel(logq.Shape()))
	relaxed := noisy.Scale(1 / temperature).Softmax(1).MatMul(vectors)
	choice := noisy.Argmax(1)
	drawn := torch.Embed(vectors, choice)
	written := relaxed.Add(drawn.Sub(relaxed).Detach()) // drawn, with the gradient of relaxed
	table := torch.Cat(0, torch.Embed(all, ints(b.words.IDs)), written)
	of := func(b judgedBatch, reduction torch.Reduction) *torch.Tensor {
		words := table.Rows(ints(slices.Concat(b.from...)))
		words = words.Reshape(int64(len(b.from)), int64(len(b.from[0])), all.Size(1))
		return torch.CrossEntropy(judge.OfVectors(words), ints(b.asked), reduction)
	}
	if m.Config.Slots == 0 {
		return of(b, torch.ReduceMean)
	}
	var sum *torch.Tensor
	for _, some := range b.ofOneLength(choice.Ints(), int64(m.Config.Vocab)-m.Config.firstWord()) {
		loss := of(some, torch.ReduceSum)
		if sum == nil {
			sum = loss
		} else {
			sum = sum.Add(loss)
		}
	}
	if sum == nil {
		return table.Sum().Scale(0)
	}
	return sum.Scale(1 / float64(len(b.from)))
}

// ofOneLength returns the sentences of a batch without the empty words that were drawn, in parts of
// one length each, the shortest first. choice is what was drawn at the masked words.
func (b judgedBatch) ofOneLength(choice []int64, empty int64) (parts []judgedBatch) {
	first := int64(len(b.words.IDs))
	of := map[int]judgedBatch{}
	for i, from := range b.from {
		left := lists.Where(from, func(at int64) bool { return at < first || choice[at-first] != empty })
		part := of[len(left)]
		part.from, part.asked = append(part.from, left), append(part.asked, b.asked[i])
		of[len(left)] = part
	}
	delete(of, 0)
	for _, n := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, of[n])
	}
	return parts
}

// gumbel draws -log(-log u), u uniform: the largest of log q plus such noise is a draw from q.
func gumbel(shape []int64) *torch.Tensor {
	return torch.Uniform(0, 1, shape...).Log().Scale(-1).Log().Scale(-1)
}

// frozen returns a copy of the model whose weights are not trained.
func (m *Model) frozen() *Model {
	c := New(m.Config)
	now := m.Params.Snapshot()
	c.Params.Restore(now)
	for _, t := range now {
		t.Free()
	}
	c.Params.Freeze("")
	return c
}
