package classifier

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/parity"
	"github.com/smlm-exp/smlm-exp/internal/testdata"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestParity compares the model with PyTorch's: logits, gradients and ten steps
// (testdata/parity/make.py).
func TestParity(t *testing.T) {
	r := testdata.OpenRecorded(t, "classifier")
	d := parity.Labelled(r)
	all := parity.All
	parity.OnTorch(t, func() error {
		m := New(Config{Vocab: 23, Embedding: 8, Hidden: 6})
		defer m.Params.Free()
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		logits := m.Logits(nn.Stack(d.IDs, all), true)
		r.Near("expect.logits", logits.Floats())
		d.CrossEntropy(logits, all, torch.ReduceMean).Backward()
		parity.Grads(r, m.Params)

		h, err := m.Train(context.Background(), d, d, parity.Ten)
		if err != nil {
			return err
		}
		parity.Losses(r, "loss.total", h)
		parity.Weights(r, m.Params)
		return nil
	})
}
