package classifier

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Train fits the model by mean cross-entropy; the epoch of the lowest dev loss is kept.
func (m *Model) Train(ctx context.Context, train, dev nn.Labelled, r nn.Recipe) (*nn.History, error) {
	logits := func(in nn.Grid) *torch.Tensor { return m.Logits(in.Tensor(), true) }
	return fit(ctx, m.Params, logits, train, r, func() (nn.Validation, error) { return m.Evaluate(ctx, dev) })
}

// fit trains a network by the mean cross-entropy of its logits [B, 2] of a batch.
func fit(
	ctx context.Context, p *nn.Params, logits func(nn.Grid) *torch.Tensor, train nn.Labelled, r nn.Recipe,
	validate func() (nn.Validation, error),
) (*nn.History, error) {
	opt := nn.NewAdam(p, r.Training)
	defer opt.Free()
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(nn.Lengths(train.IDs)),
		Prepare: func(batch []int) nn.Pass {
			in := nn.Gather(train.IDs, batch)
			return r.Pass(func() *torch.Tensor {
				return train.CrossEntropy(logits(in), batch, torch.ReduceMean)
			})
		},
		Validate: validate,
	})
}

// Evaluate returns mean cross-entropy and accuracy in percent.
func (m *Model) Evaluate(ctx context.Context, d nn.Labelled) (nn.Validation, error) {
	return evaluate(ctx, d, nn.ForStretches, func(batch []int) *torch.Tensor { return m.logitsOf(d.IDs, batch) })
}

// evaluate is Evaluate of the network whose logits these are, of the sentences of a batch that
// forEach makes.
func evaluate(
	ctx context.Context, d nn.Labelled, forEach func(context.Context, [][]int64, func(batch []int) error) error,
	logitsOf func(batch []int) *torch.Tensor,
) (nn.Validation, error) {
	var loss, right float64
	err := forEach(ctx, d.IDs, func(batch []int) error {
		logits := logitsOf(batch)
		loss += d.CrossEntropy(logits, batch, torch.ReduceSum).Item()
		right += d.Right(logits, batch)
		return nil
	})
	n := float64(len(d.IDs))
	return nn.Validation{Loss: loss / n, Accuracy: 100 * right / n}, err
}

// Predict returns the likelier style of every sentence. A sentence of no words is style 0.
func (m *Model) Predict(ctx context.Context, ids [][]int64) ([]int, error) {
	out := make([]int, len(ids))
	var rows [][]int64
	var where []int
	for i, r := range ids {
		if len(r) > 0 {
			rows, where = append(rows, r), append(where, i)
		}
	}
	err := nn.ForStretches(ctx, rows, func(stretch []int) error {
		for k, c := range m.logitsOf(rows, stretch).Argmax(1).Ints() {
			out[where[stretch[k]]] = int(c)
		}
		return nil
	})
	return out, err
}

// logitsOf returns Logits, outside of training, of the sentences of a stretch [N, 2].
func (m *Model) logitsOf(rows [][]int64, stretch []int) *torch.Tensor {
	some := make([][]int64, len(stretch))
	for k, i := range stretch {
		some[k] = rows[i]
	}
	return m.out.Forward(m.lstm.LastOf(m.embed, some))
}
