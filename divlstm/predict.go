package divlstm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Probabilities returns the softmax of every sentence's logits: what the model says of styles 0 and
// 1. A sentence of no words is an error of the caller.
func (m *Model) Probabilities(ctx context.Context, ids [][]int64) ([][2]float64, error) {
	p := make([][2]float64, len(ids))
	err := nn.ForEach(ctx, ids, func(batch []int) error {
		flat := m.Forward(nn.Stack(ids, batch), false).Logits.To(torch.Float).Softmax(1).Floats()
		for k, i := range batch {
			p[i] = [2]float64{float64(flat[2*k]), float64(flat[2*k+1])}
		}
		return nil
	})
	return p, err
}
