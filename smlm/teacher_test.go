package smlm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestTeacherLoss compares the loss with its equation, computed in float64 from both models'
// logits, for both reductions.
func TestTeacherLoss(t *testing.T) {
	d := ofDrawnMasks(6)
	c := tiny
	c.Dropout = 0
	length := len(d.IDs[0])
	var batch []int
	for i, ids := range d.IDs {
		if len(ids) == length {
			batch = append(batch, i)
		}
	}
	parity.OnTorch(t, func() error {
		return torch.NoGrad(func() error {
			student, model := freshOf(c), freshOf(started(c))
			defer student.Params.Free()
			defer model.Params.Free()
			for _, o := range []Objective{{}, {Loss: recipe.Masked}, {Reduction: recipe.Sentence}} {
				want := c.codes().targets(d, batch, d.Styles, o)
				ids := c.codes().inputs(d, batch, d.Styles)
				states := student.enc.rows(ids, want.rows, false)
				ours := logProbabilities(student.out.Forward(states).Floats(), c.Vocab)
				theirs := logProbabilities(model.out.Forward(model.enc.rows(ids, want.rows, false)).Floats(), c.Vocab)
				for _, weight := range []float64{.25, 1} {
					sum := 0.
					for k, token := range want.tokens {
						sum -= (1 - weight) * float64(ours[k][token])
						for v, logq := range ours[k] {
							sum -= weight * math.Exp(float64(theirs[k][v])) * float64(logq)
						}
					}
					sum /= float64(want.denominator())
					got := (&Teacher{model, weight}).loss(student, ids, states, want).Item()
					if math.Abs(got-sum) > 20*testkit.RoundingBound(testkit.Chain(9, c.Vocab)...)*sum {
						t.Errorf("%+v, weight %v: loss %v, want %v", o, weight, got, sum)
					}
				}
			}
			return nil
		})
	})
}

// logProbabilities are the log softmax of each row of so many logits.
func logProbabilities(logits []float32, width int) (rows [][]float32) {
	for row := range slices.Chunk(logits, width) {
		rows = append(rows, logSoftmax(row))
	}
	return rows
}

// TestLearnFromTeacher: a student of a teacher that says one word everywhere, against its own text,
// learns to say that word; without the teacher it does not.
func TestLearnFromTeacher(t *testing.T) {
	d := ofDrawnMasks(30)
	const said = 20
	r := nn.Recipe{KeepLast: true, Training: recipe.Training{
		Epochs: 10, LR: .02, Beta1: .9, Beta2: .999, BatchTokens: 60,
	}}
	for _, taught := range []bool{true, false} {
		parity.OnTorch(t, func() error {
			student, model := fresh(), fresh()
			defer student.Params.Free()
			defer model.Params.Free()
			lead := make([]float32, tiny.Vocab)
			lead[said] = 100
			model.out.B.Set(torch.FromFloats(lead, int64(tiny.Vocab)))
			var teacher *Teacher
			if taught {
				teacher = &Teacher{model, 1}
			}
			_, err := student.Learn(context.Background(), teacher, d, d, Objective{}, VariedMasks{}, noSlots, r)
			if err != nil {
				return err
			}
			d := d
			d.Asked = d.Styles
			out, err := student.Transfer(context.Background(), d, Decoding{})
			only := true
			for _, words := range out {
				for _, id := range words {
					only = only && id == said
				}
			}
			if only != taught {
				t.Errorf("with a teacher: %t, says its word alone: %t", taught, only)
			}
			return err
		})
	}
}
