package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// A Judge is a style classifier whose weights stand still: what it thinks of words can be
// differentiated with respect to the vectors of those words.
type Judge interface {
	// Vectors returns the table of word vectors [V, E].
	Vectors() *torch.Tensor
	// OfVectors maps word vectors [B, T, E] to style logits [B, 2].
	OfVectors(words *torch.Tensor) *torch.Tensor
}

// FinetuneJudged trains the model on the sentences it writes, with [dst] = s', at masks alone:
//
//	L = lambda_sta -log p_judge(s' | y) + lambda_KL KL(q(. | x^m, s') || q_before(. | x^m, s')) + lambda_rec L_BS
//
// y is the source with words drawn from q at the masks; gradients go through the draw as if it were
// its relaxation (straight-through Gumbel-softmax, Jang et al. 2017). So the judge reads words, as
// it was trained to, where the head of [Model.Finetune] reads states that the model may shift at
// will, and q stays near what human text taught it. The judge is never the evaluation classifier.
// The last weights are kept.
func (m *Model) FinetuneJudged(
	ctx context.Context, judge Judge, train, dev corpus.Encoded, loss FinetuneLoss, r nn.Recipe,
) (*nn.History, error) {
	train, err := masked(train)
	if err != nil {
		return nil, err
	}
	before := m.frozen()
	defer before.Params.Free()
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	r.KeepLast = true
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(lengths(train)),
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
	masked      []int64 // rows of states [B, L, d] flattened to [B*L, d] that masked words have
	from        []int64 // of every word [B*T]: its place among the sources' or, from B*T on, among the masked words
	opposite    []int64
}

func (m *Model) judgedBatch(d corpus.Encoded, batch []int, o Objective) judgedBatch {
	codes := m.Config.codes()
	b := judgedBatch{
		same: codes.grid(d, batch, same), other: codes.grid(d, batch, other), words: nn.Gather(d.IDs, batch),
		rec: codes.targets(d, batch, same, o), opposite: other.styles(d, batch),
		masked: codes.targets(d, batch, other, Objective{Loss: recipe.Masked}).rows,
	}
	filled := int64(len(b.words.IDs))
	for _, i := range batch {
		for _, on := range d.Masks[i] {
			place := int64(len(b.from))
			if on {
				place, filled = filled, filled+1
			}
			b.from = append(b.from, place)
		}
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
// firstWord].
func (m *Model) logProbs(in nn.Grid, rows []int64, train bool) *torch.Tensor {
	logits := m.out.Forward(m.enc.rows(in.Tensor(), rows, train)).To(torch.Float)
	return logits.Narrow(1, firstWord, int64(m.Config.Vocab)-firstWord).LogSoftmax(1)
}

// judged returns the mean over the batch of -log p_judge(s' | y), y drawn by log q [K, V -
// firstWord] at the masks.
func (m *Model) judged(judge Judge, logq *torch.Tensor, b judgedBatch, temperature float64) *torch.Tensor {
	all := judge.Vectors()
	vectors := all.Narrow(0, firstWord, all.Size(0)-firstWord)
	noisy := logq.Add(gumbel(logq.Shape()))
	relaxed := noisy.Scale(1 / temperature).Softmax(1).MatMul(vectors)
	drawn := torch.Embed(vectors, noisy.Argmax(1))
	written := relaxed.Add(drawn.Sub(relaxed).Detach()) // drawn, with the gradient of relaxed
	table := torch.Cat(0, torch.Embed(all, ints(b.words.IDs)), written)
	words := table.Rows(ints(b.from)).Reshape(int64(b.words.Rows), int64(len(b.from)/b.words.Rows), all.Size(1))
	return torch.CrossEntropy(judge.OfVectors(words), ints(b.opposite), torch.ReduceMean)
}

// gumbel draws -log(-log u), u uniform: the largest of log q plus such noise is a draw from q.
func gumbel(shape []int64) *torch.Tensor {
	return torch.Uniform(0, 1, shape...).Log().Scale(-1).Log().Scale(-1)
}

// frozen returns a copy of the model whose weights stand still.
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
