package classifier

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Train fits the model by mean cross-entropy; the epoch of the lowest dev loss is kept. Word
// dropout (Iyyer et al. 2015, who leave words out; with <unk> lengths stay) keeps the model from
// resting on single words: what it guides would otherwise find the few that please it most.
func (m *CNN) Train(ctx context.Context, train, dev corpus.Encoded, r nn.Recipe) (*nn.History, error) {
	logits := func(in nn.Grid) *torch.Tensor { return m.Logits(m.withUnknown(in).Tensor(), true) }
	return fit(ctx, m.Params, logits, train, r, func() (nn.Validation, error) { return m.Evaluate(ctx, dev) })
}

// withUnknown returns the words with <unk> in the place of each with probability WordDropout. The
// draws are those of the CPU's generator, on a GPU too: its state is in every checkpoint, so that a
// training that goes on from one drops the same words.
func (m *CNN) withUnknown(in nn.Grid) nn.Grid {
	if m.Config.WordDropout == 0 {
		return in
	}
	ids := make([]int64, len(in.IDs))
	for i, u := range torch.Uniform(0, 1, int64(len(ids))).Floats() {
		ids[i] = in.IDs[i]
		if float64(u) < m.Config.WordDropout {
			ids[i] = corpus.UnkID
		}
	}
	return nn.Grid{IDs: ids, Rows: in.Rows}
}

// Evaluate returns mean cross-entropy and accuracy in percent.
func (m *CNN) Evaluate(ctx context.Context, d corpus.Encoded) (nn.Validation, error) {
	var v nn.Validation
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		v.Add(m.Logits(nn.Stack(d.IDs, batch), false), d.Styles, batch)
		return nil
	})
	return v.Mean(len(d.IDs)), err
}
