package smlm

import (
	"context"
	"errors"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// masked leaves out the sentences without a masked word, of which a refiller learns nothing; that
// there are no others is an error that says what to do.
func masked(d corpus.Encoded) (corpus.Encoded, error) {
	if d = d.WithMask(); len(d.IDs) == 0 {
		return d, errors.New("no training sentence has a masked word: lower masking.lambda_eps, " +
			"or look into the table divlstm, whether the attention is healthy")
	}
	return d, nil
}

// Train bootstraps the model on same-style reconstruction, the first loop of the paper's Algorithm
// 1 ("minimize L_BS w.r.t. theta_SMLM"), with [src] = [dst] = s. Where only masked words count,
// sentences without one teach nothing and are left out. The epoch of the lowest dev loss is kept,
// which is that of dev's own masks whatever v says.
func (m *Model) Train(
	ctx context.Context, train, dev corpus.Encoded, o Objective, v VariedMasks, r nn.Recipe,
) (*nn.History, error) {
	if o.Loss == recipe.Masked {
		var err error
		if train, err = masked(train); err != nil {
			return nil, err
		}
	}
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	masks, shuffled := train.Masks, r.Shuffled(lengths(train))
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches: func(epoch int) [][]int {
			train.Masks = varied(masks, v, r.Seed, epoch)
			return shuffled(epoch)
		},
		Prepare: func(batch []int) nn.Pass {
			codes := m.Config.codes()
			in, want := codes.grid(train, batch, same), codes.targets(train, batch, same, o)
			return r.Pass(func() *torch.Tensor { return m.loss(m.enc.rows(in.Tensor(), want.rows, true), want) })
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev, o) },
	})
}

// Evaluate returns the mean reconstruction loss: of a position that counts, or of a sentence with
// recipe.Sentence.
func (m *Model) Evaluate(ctx context.Context, d corpus.Encoded, o Objective) (nn.Validation, error) {
	var sum, n float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		c := m.Config.codes().targets(d, batch, same, o)
		if len(c.rows) > 0 {
			states := m.enc.rows(m.Config.codes().inputs(d, batch, same), c.rows, false)
			sum += m.loss(states, c).Item() * float64(c.over())
		}
		n += float64(c.over())
		return nil
	})
	return nn.Validation{Loss: sum / max(n, 1)}, err
}
