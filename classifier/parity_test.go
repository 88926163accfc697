package classifier

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/testdata"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestParity compares the model with PyTorch's: logits, gradients and ten steps (testdata/parity/make.py).
func TestParity(t *testing.T) {
	r := testdata.OpenRecorded(t, "classifier")
	d := nn.Labelled{IDs: r.Rows("input.ids"), Styles: r.Styles()}
	all := []int{0, 1, 2, 3, 4, 5}
	onTorch(t, func() error {
		m := New(Config{Vocab: 23, Embedding: 8, Hidden: 6})
		defer m.Params.Free()
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		logits := m.Logits(nn.Stack(d.IDs, all), true)
		r.Near("expect.logits", logits.Floats())
		d.CrossEntropy(logits, all, torch.ReduceMean).Backward()
		for i, p := range m.Params.All() {
			r.Near("grad."+m.Params.Names()[i], p.Grad().Floats())
		}
		torch.ZeroGrad(m.Params.All())

		// One batch an epoch, so that the history holds every step's loss.
		h, err := m.Train(context.Background(), d, d, nn.Recipe{Epochs: 10, KeepLast: true, LR: 1e-3, Beta1: .5, Beta2: .999, BatchTokens: 100})
		if err != nil {
			return err
		}
		var losses []float32
		for _, e := range h.Epochs {
			losses = append(losses, float32(e.TrainLoss))
		}
		r.Near("loss.total", losses)
		for i, p := range m.Params.All() {
			r.Near("final."+m.Params.Names()[i], p.Floats())
		}
		return nil
	})
}

// onTorch runs fn on the torch thread with one thread an operation.
func onTorch(t *testing.T, fn func() error) {
	t.Helper()
	err := torch.Run(func() error {
		torch.SetThreads(1)
		torch.Seed(1)
		return fn()
	})
	if err != nil {
		t.Fatal(err)
	}
}
