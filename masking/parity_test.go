package masking

import (
	"context"
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// recordedCase is an Attribution whose numbers testdata/parity/attribution.py recorded under a
// name.
type recordedCase struct {
	name string
	a    Attribution
}

// TestCaptumParity compares attributions, the scores made from them and completeness with Captum's.
func TestCaptumParity(t *testing.T) {
	compareCases(t, "attribution",
		divlstm.Config{
			Vocab: 23, DivLSTMShape: recipe.DivLSTMShape{Embedding: 8, Hidden: 6, Attention: 5, Bidirectional: true},
		},
		divlstm.Loss{LambdaCon: .5},
		[]recordedCase{
			{"gradients", Attribution{Method: policy.Gradients}},
			{"gradients_x_input", Attribution{Method: policy.GradientsXInput}},
			{
				"loss",
				Attribution{
					Scoring: policy.Scoring{AttrTarget: "loss", AttrReduce: "abs", AttrScale: "softmax"},
					Method:  policy.GradientsXInput,
				},
			},
			{
				"ig",
				Attribution{
					Scoring: policy.Scoring{IGTimesInput: true, IGSteps: 3}, Method: policy.IntegratedGradients,
				},
			},
			{
				"ig_mean",
				Attribution{
					Scoring: policy.Scoring{IGTimesInput: true, IGSteps: 3, IGBaseline: "mean"},
					Method:  policy.IntegratedGradients,
				},
			},
			{
				"ig_left",
				Attribution{
					Scoring: policy.Scoring{IGTimesInput: true, IGSteps: 5, IGRule: policy.Left},
					Method:  policy.IntegratedGradients,
				},
			},
			{
				"ig_midpoint",
				Attribution{
					Scoring: policy.Scoring{IGTimesInput: true, IGSteps: 4, IGRule: "midpoint", IGBaseline: "mean"},
					Method:  policy.IntegratedGradients,
				},
			},
		})
}

// TestAuthorsParity compares the variants of the authors' code: gradients of the training loss,
// conicity across the batch, with latents and a start token.
func TestAuthorsParity(t *testing.T) {
	compareCases(t, "attribution_authors",
		divlstm.Config{
			Vocab:         23,
			DivLSTMShape:  recipe.DivLSTMShape{Embedding: 8, Hidden: 6, Attention: 5, Bidirectional: true},
			DivLSTMInputs: recipe.DivLSTMInputs{Latent: 7, StartToken: true},
		},
		divlstm.Loss{
			LambdaCon: 10,
			DivLSTMLoss: recipe.DivLSTMLoss{
				Reduction: recipe.Sum, ConicityAxis: recipe.BatchAxis, ConicityForm: recipe.AbsMeanForm,
			},
		},
		[]recordedCase{
			{
				"gradients",
				Attribution{
					Scoring: policy.Scoring{AttrTarget: "loss", AttrReduce: "sum", AttrScale: "softmax"},
					Method:  policy.Gradients,
				},
			},
			{
				"gradients_x_input",
				Attribution{
					Scoring: policy.Scoring{AttrTarget: "loss", AttrScale: "softmax"}, Method: policy.GradientsXInput,
				},
			},
			{
				"ig",
				Attribution{
					Scoring: policy.Scoring{
						AttrTarget: "loss", AttrScale: "softmax", IGRule: policy.Left, IGSteps: 5, IGTimesInput: false,
					},
					Method: policy.IntegratedGradients,
				},
			},
		})
}

func compareCases(t *testing.T, file string, c divlstm.Config, loss divlstm.Loss, cases []recordedCase) {
	r := testkit.OpenRecorded(t, file)
	d := parity.Sentences(r)
	parity.OnTorch(t, func() error {
		m := divlstm.New(c)
		defer m.Params.Free()
		if err := m.Params.Load(r.Path); err != nil {
			return err
		}
		for _, k := range cases {
			got, err := k.a.Scores(context.Background(), m, d, loss, nil)
			if err != nil {
				return err
			}
			var words []float32
			for _, row := range got.Words {
				words = append(words, row...)
			}
			r.Near("expect."+k.name, raw(t, k.a, m, d, loss))
			r.Near("expect."+k.name+".words", words)
			if k.a.Method != policy.IntegratedGradients {
				continue
			}
			delta := r.Floats("delta." + k.name)
			change := got.Change[:len(delta)] // one number a sentence, or the first of equal ones
			r.Near("expect."+k.name+".change", singles(change))
			nearGap(t, k.name, got.Gap[:len(delta)], delta, change)
		}
		return nil
	})
}

// nearGap compares completeness' gaps with Captum's signed ones. A gap is a difference of numbers
// as large as the change, which bounds its precision.
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

// raw returns the attributions of d, one batch, before they are reduced: [B, T, E].
func raw(t *testing.T, a Attribution, m *divlstm.Model, d corpus.Encoded, loss divlstm.Loss) (flat []float32) {
	t.Helper()
	a, err := a.withDefaults(m, d)
	if err != nil {
		t.Fatal(err)
	}
	n := len(d.IDs)
	s := Scores{Gap: make([]float64, n), Change: make([]float64, n)}
	err = nn.ForEach(context.Background(), d.IDs, func(batch []int) error {
		e := explainer{Attribution: a, model: m, data: d, loss: loss, batch: batch}
		found, err := e.attributions(m.Inputs(nn.Stack(d.IDs, batch), false), &s)
		if err == nil {
			flat = append(flat, found.Floats()...)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return flat
}

func singles(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}
