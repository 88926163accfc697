package lm

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestParity compares the model with the same model in PyTorch: the initial bias, logits,
// log-probabilities of sentences, gradients and ten training steps (testdata/parity/lm.py).
func TestParity(t *testing.T) {
	c := Config{
		First: 9, Known: 11, LMShape: recipe.LMShape{Embedding: 8, Hidden: 6},
	}
	r := testkit.OpenRecorded(t, "lm")
	ids := r.Rows("input.ids")
	scored := ids
	for _, row := range ids {
		scored = append(scored, row[:3])
	}
	scored = append(scored, nil)
	parity.OnTorch(t, func() error {
		m := New(c)
		defer m.Params.Free()
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		m.startFromCounts(m.rows(ids))
		r.Near("expect.bias", m.bias.Floats())
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		in, target := split(nn.Stack(m.rows(ids), parity.All))
		logits := m.logits(m.states(in, true))
		r.Near("expect.logits", logits.Floats())
		s, err := m.Score(context.Background(), scored)
		if err != nil {
			return err
		}
		logProb := make([]float32, len(scored))
		for i, l := range s.LogProb {
			logProb[i] = float32(l)
		}
		r.Near("expect.logprob", logProb)
		torch.CrossEntropy(logits, target, torch.ReduceMean).Backward()
		parity.Grads(r, m.Params)

		h, err := m.Train(context.Background(), ids, ids, parity.Ten)
		if err != nil {
			return err
		}
		parity.Losses(r, "loss.total", h)
		parity.Weights(r, m.Params)
		return nil
	})
}
