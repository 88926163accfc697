package divlstm

import (
	"context"
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestPrecision: a training in bfloat16 goes the way of one in float32, within a hundredth of its loss, and is not the same.
func TestPrecision(t *testing.T) {
	if !torch.HasBF16() {
		t.Skip("this CPU has no bfloat16 products")
	}
	d := nn.Labelled{IDs: [][]int64{{9, 12, 15}, {10, 13, 16}, {9, 13, 20}, {11, 12, 21}, {10, 22, 23}}, Styles: []int{0, 1, 0, 1, 1}}
	parity.OnTorch(t, func() error {
		var losses [2]float64
		for i, bf16 := range []bool{false, true} {
			m := freshOf(authors)
			defer m.Params.Free()
			r := parity.Ten
			r.BF16, r.LR = bf16, 1e-2
			h, err := m.Train(context.Background(), d, d, Loss{LambdaCon: 1, Reduction: torch.ReduceMean}, r)
			if err != nil {
				return err
			}
			losses[i] = h.Kept().Dev.Loss
		}
		if off := math.Abs(losses[0]-losses[1]) / losses[0]; off == 0 || off > .01 {
			t.Errorf("losses after ten steps are %v in float32 and %v in bfloat16", losses[0], losses[1])
		}
		return nil
	})
}
