package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Objective says which positions a reconstruction loss counts.
type Objective struct {
	MaskedOnly bool // false: all words (the paper's L_BS)
}

// reconstruction returns the mean of -log q(x^s | x^m, s, s) over the positions that count, or nil where there are none.
func (m *Model) reconstruction(states *torch.Tensor, d Data, batch []int, o Objective) *torch.Tensor {
	rows, words := d.targets(batch, o.MaskedOnly)
	if len(rows) == 0 {
		return nil
	}
	return torch.CrossEntropy(m.Logits(states, ints(rows)), ints(words), torch.ReduceMean)
}

// Train bootstraps the model on same-style reconstruction (the paper, L_BS): [src] = [dst] = s. With MaskedOnly sentences
// without a mask teach nothing and are left out. The epoch of the lowest dev loss is kept.
func (m *Model) Train(ctx context.Context, train, dev Data, o Objective, r nn.Recipe) (*nn.History, error) {
	if o.MaskedOnly {
		train = train.WithMask()
	}
	opt := r.Adam(m.Params)
	defer opt.Free()
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(train.lengths()),
		Step: func(batch []int) (float64, error) {
			var loss *torch.Tensor
			torch.Autocast(r.BF16, func() {
				loss = m.reconstruction(m.States(train.inputs(batch, same), true), train, batch, o)
			})
			loss.Backward()
			_, err := opt.Step()
			return loss.Item(), err
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, o) },
	})
}

// Evaluate returns the mean reconstruction loss a counted word.
func (m *Model) Evaluate(ctx context.Context, d Data, o Objective) (nn.Validation, error) {
	var sum, n float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		rows, _ := d.targets(batch, o.MaskedOnly)
		if loss := m.reconstruction(m.States(d.inputs(batch, same), false), d, batch, o); loss != nil {
			sum += loss.Item() * float64(len(rows))
			n += float64(len(rows))
		}
		return nil
	})
	return nn.Validation{Loss: sum / max(n, 1)}, err
}
