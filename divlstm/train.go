package divlstm

import (
	"context"
	"errors"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Train minimises the loss and keeps the epoch with the lowest dev loss.
func (m *Model) Train(ctx context.Context, train, dev corpus.Encoded, loss Loss, r nn.Recipe) (*nn.History, error) {
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(nn.Lengths(train.IDs)),
		Prepare: func(batch []int) nn.Pass {
			in := nn.Gather(train.IDs, batch)
			return r.Pass(func() *torch.Tensor { return loss.Of(m.Forward(in.Tensor(), true), train, batch) })
		},
		Validate: func() (nn.Validation, error) { return m.Validate(ctx, dev, loss) },
	})
}

// Validate returns the mean loss per sentence, the accuracy in percent and the mean conicity. The
// loss is the same as in training.
func (m *Model) Validate(ctx context.Context, d corpus.Encoded, loss Loss) (nn.Validation, error) {
	var ce, con, right float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		out := m.Forward(nn.Stack(d.IDs, batch), false)
		ce += nn.CrossEntropy(out.Logits, d.Styles, batch, torch.ReduceSum).Item()
		con += conicity(out.States).Sum().Item()
		right += nn.CountRight(out.Logits, d.Styles, batch)
		return nil
	})
	n := float64(len(d.IDs))
	return nn.Validation{
		Loss: (ce + loss.LambdaCon*con) / n, Accuracy: 100 * right / n,
		Conicity: min(1, con/n), // float32 cosines may round up to more than 1
	}, err
}

// Attention returns every sentence's attention: one number per word, with sum 1.
func (m *Model) Attention(ctx context.Context, ids [][]int64) ([][]float32, error) {
	scores := make([][]float32, len(ids))
	err := nn.ForEach(ctx, ids, func(batch []int) error {
		n := len(ids[batch[0]])
		flat := m.Forward(nn.Stack(ids, batch), false).Attention.Floats()
		for k, i := range batch {
			scores[i] = flat[k*n : (k+1)*n : (k+1)*n]
		}
		return nil
	})
	return scores, err
}

// Loss is the objective (the paper's appendix, "The Diversity Driven LSTM"), where y is the style
// of sentence P and H its states:
//
//	L(theta_Div) = -log p_Div(y | P) + lambda_con conicity(H)
//
// Both terms are means over the batch.
type Loss struct {
	LambdaCon float64
}

// Of returns L(theta_Div) on a batch of d, a scalar.
func (l Loss) Of(out Output, d corpus.Encoded, batch []int) *torch.Tensor {
	total := nn.CrossEntropy(out.Logits, d.Styles, batch, torch.ReduceMean)
	if l.LambdaCon != 0 {
		total = total.Add(conicity(out.States).Mean().Scale(l.LambdaCon))
	}
	return total
}

// Probabilities returns p(style) of every sentence, the softmax of its logits. No sentence may be
// empty.
func (m *Model) Probabilities(ctx context.Context, ids [][]int64) ([][]float64, error) {
	p := make([][]float64, len(ids))
	err := nn.ForEach(ctx, ids, func(batch []int) error {
		flat := m.Forward(nn.Stack(ids, batch), false).Logits.To(torch.Float).Softmax(1).Floats()
		styles := len(flat) / len(batch)
		for k, i := range batch {
			for _, x := range flat[k*styles : (k+1)*styles] {
				if math.IsNaN(float64(x)) {
					return errors.New(wording.NoNumbers("the Diversity-LSTM's probabilities"))
				}
				p[i] = append(p[i], float64(x))
			}
		}
		return nil
	})
	return p, err
}
