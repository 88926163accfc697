package pretrained

import (
	"context"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestLikelihoodParity compares log p of each masked piece with transformers
// (testdata/parity/likelihood.py).
func TestLikelihoodParity(t *testing.T) {
	r := testkit.OpenRecorded(t, "likelihood")
	rows := r.Rows("input.ids")
	inner := slices.Repeat([][]int{{1, 2, 3, 4, 5, 6, 7}}, len(rows))
	for family, head := range families {
		if head != Masked {
			continue
		}
		parity.OnTorch(t, func() error {
			m, err := open(string(family), 0, Masked)
			if err != nil {
				return err
			}
			defer m.Params.Free()
			live := torch.Live()
			got, err := m.MaskedLogProbs(context.Background(), rows, inner, 4)
			if err != nil {
				return err
			}
			r.Near("expect."+string(family), floats(got))
			if n := torch.Live(); n != live {
				t.Errorf("%d tensors were left", n-live)
			}
			return nil
		})
	}
}

func floats(rows [][]float64) (flat []float32) {
	for _, x := range slices.Concat(rows...) {
		flat = append(flat, float32(x))
	}
	return flat
}
