package masking

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// TestCaptumParity compares attributions, the scores derived from them and what they must sum to
// with Captum's.
func TestCaptumParity(t *testing.T) {
	r := testkit.OpenRecorded(t, "attribution")
	d := parity.Sentences(r)
	parity.OnTorch(t, func() error {
		m := divlstm.New(divlstm.Config{
			Vocab: 23, DivLSTMShape: recipe.DivLSTMShape{Embedding: 8, Hidden: 6, Attention: 5, Bidirectional: true},
		})
		defer m.Params.Free()
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		for name, method := range map[string]policy.Method{
			"gradients": policy.Gradients, "gradients_x_input": policy.GradientsXInput, "ig": policy.IntegratedGradients,
		} {
			e := explainer{method: method, model: m, data: d, batch: parity.All}
			x := m.Inputs(nn.Stack(d.IDs, e.batch), false)
			found, err := e.attributions(x, 3)
			if err != nil {
				return err
			}
			words, err := e.summed(found)
			if err != nil {
				return err
			}
			r.Near("expect."+name, found.Floats())
			r.Near("expect."+name+".words", singles(words))
			if method == policy.IntegratedGradients {
				r.Near("expect."+name+".change", singles(change(&e, x)))
			} else {
				r.Near("expect."+name+".words", slices.Concat(explain(t, method, m, d)...))
			}
		}
		return nil
	})
}

func singles(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}
