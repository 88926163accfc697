package divlstm

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestParity compares the model with the same model in PyTorch: logits, attention, conicity,
// gradients of the whole loss and ten training steps (testdata/parity/make.py). It tests two
// settings: an LSTM in one direction and an LSTM in both directions.
func TestParity(t *testing.T) {
	for _, c := range []struct {
		file string
		both bool
		loss Loss
	}{
		{"divlstm", false, Loss{LambdaCon: .5}},
		{"divlstm_both", true, Loss{LambdaCon: 1}},
	} {
		t.Run(c.file, func(t *testing.T) { recordedCase(t, c.file, c.both, c.loss) })
	}
}

func recordedCase(t *testing.T, file string, both bool, loss Loss) {
	r := testkit.OpenRecorded(t, file)
	d := parity.Sentences(r)
	all := parity.All
	parity.OnTorch(t, func() error {
		m := New(Config{
			Vocab: 23, DivLSTMShape: recipe.DivLSTMShape{Embedding: 8, Hidden: 6, Attention: 5, Bidirectional: both},
		})
		defer m.Params.Free()
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		out := m.Forward(nn.Stack(d.IDs, all), true)
		con := conicity(out.States)
		r.Near("expect.logits", out.Logits.Floats())
		r.Near("expect.attention", out.Attention.Floats())
		r.Near("expect.states", out.States.Floats())
		r.Near("expect.conicity", con.Floats())
		nn.CrossEntropy(out.Logits, d.Styles, all, torch.ReduceMean).Add(con.Mean().Scale(loss.LambdaCon)).Backward()
		parity.Grads(r, m.Params)

		h, err := m.Train(context.Background(), d, d, loss, parity.Ten)
		if err != nil {
			return err
		}
		parity.Losses(r, "loss.total", h)
		parity.Weights(r, m.Params)
		return nil
	})
}
