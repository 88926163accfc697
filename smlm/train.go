package smlm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Train bootstraps the model on same-style reconstruction (the paper, L_BS): [src] = [dst] = s. Where only masked words count,
// sentences without one teach nothing and are left out. The epoch of the lowest dev loss is kept.
func (m *Model) Train(ctx context.Context, train, dev Data, o Objective, r nn.Recipe) (*nn.History, error) {
	if o.MaskedOnly && !o.Codes {
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
				states := m.enc.forward(m.Config.Frame.inputs(train, batch, same), true)
				loss, _ = m.reconstruction(states, train, batch, same, o)
			})
			loss.Backward()
			_, err := opt.Step()
			return loss.Item(), err
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, o) },
	})
}

// Evaluate returns the mean reconstruction loss: of a counted position, or of a sentence with PerSentence.
func (m *Model) Evaluate(ctx context.Context, d Data, o Objective) (nn.Validation, error) {
	var sum, n float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		states := m.enc.forward(m.Config.Frame.inputs(d, batch, same), false)
		loss, over := m.reconstruction(states, d, batch, same, o)
		if loss != nil {
			sum += loss.Item() * float64(over)
		}
		n += float64(over)
		return nil
	})
	return nn.Validation{Loss: sum / max(n, 1)}, err
}
