package divlstm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Loss is the objective: cross-entropy, averaged or (the authors' code) summed over the batch, plus LambdaCon times the
// mean conicity.
type Loss struct {
	LambdaCon float64
	Reduction torch.Reduction // of the cross-entropy
}

// Train minimises the loss (the paper's appendix, L(theta_Div)); the epoch of the lowest dev loss is kept.
func (m *Model) Train(ctx context.Context, train, dev nn.Labelled, loss Loss, r nn.Recipe) (*nn.History, error) {
	opt := r.Adam(m.Params)
	defer opt.Free()
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(nn.Lengths(train.IDs)),
		Step: func(batch []int) (float64, error) {
			out := m.Forward(nn.Stack(train.IDs, batch), true)
			l := train.CrossEntropy(out.Logits, batch, loss.Reduction)
			if loss.LambdaCon != 0 {
				l = l.Add(Conicity(out.States).Mean().Scale(loss.LambdaCon))
			}
			l.Backward()
			_, err := opt.Step()
			return l.Item(), err
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, loss.LambdaCon) },
	})
}

// Evaluate returns the mean loss a sentence, accuracy in percent and mean conicity.
func (m *Model) Evaluate(ctx context.Context, d nn.Labelled, lambdaCon float64) (nn.Validation, error) {
	var ce, con, right float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		out := m.Forward(nn.Stack(d.IDs, batch), false)
		ce += d.CrossEntropy(out.Logits, batch, torch.ReduceSum).Item()
		con += Conicity(out.States).Sum().Item()
		right += d.Right(out.Logits, batch)
		return nil
	})
	n := float64(len(d.IDs))
	return nn.Validation{Loss: (ce + lambdaCon*con) / n, Accuracy: 100 * right / n, Conicity: con / n}, err
}

// Attention returns every sentence's attention, one number a word, summing to 1.
func (m *Model) Attention(ctx context.Context, ids [][]int64, progress func(done, total int, note string)) ([][]float32, error) {
	scores := make([][]float32, len(ids))
	done := 0
	err := nn.ForEach(ctx, ids, func(batch []int) error {
		n := len(ids[batch[0]])
		flat := m.Forward(nn.Stack(ids, batch), false).Attention.Floats()
		for k, i := range batch {
			scores[i] = flat[k*n : (k+1)*n : (k+1)*n]
		}
		if done += len(batch); progress != nil {
			progress(done, len(ids), "")
		}
		return nil
	})
	return scores, err
}
