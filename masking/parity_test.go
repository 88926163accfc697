package masking

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// TestCaptumParity compares attributions, the scores derived from them and the completeness gaps
// with those of Captum.
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
			e := explainer{method: method, steps: 3, model: m, data: d, batch: parity.All}
			n := len(d.IDs)
			s := Scores{Words: make([][]float32, n), Gap: make([]float64, n), Change: make([]float64, n)}
			if err := e.explain(&s); err != nil {
				return err
			}
			found, err := e.attributions(m.Inputs(nn.Stack(d.IDs, e.batch), false), &s)
			if err != nil {
				return err
			}
			r.Near("expect."+name, found.Floats())
			r.Near("expect."+name+".words", slices.Concat(s.Words...))
			if method != policy.IntegratedGradients {
				continue
			}
			r.Near("expect."+name+".change", singles(s.Change))
			nearGap(t, name, s.Gap, r.Floats("delta."+name), s.Change)
		}
		return nil
	})
}

// nearGap compares our completeness gaps with the absolute values of Captum's. A gap is the
// difference of two numbers that are about as large as the change, so its precision is limited.
func nearGap(t *testing.T, name string, gap []float64, delta []float32, change []float64) {
	t.Helper()
	largest, off := 0.0, 0.0
	for i, g := range gap {
		largest = max(largest, math.Abs(change[i]), g)
		off = max(off, math.Abs(g-math.Abs(float64(delta[i]))))
	}
	t.Logf("%s: largest deviation of a gap: %.1e of the largest change", name, off/largest)
	if !(off <= testkit.Tolerance*largest) {
		t.Errorf("%s: gaps %v, recorded %v", name, gap, delta)
	}
}

func singles(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}
