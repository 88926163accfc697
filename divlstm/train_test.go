package divlstm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
)

// TestTrainAttention checks that training changes all weights except those of a frozen attention.
func TestTrainAttention(t *testing.T) {
	frozen := []string{
		"attention.hidden.weight", "attention.hidden.bias", "attention.query.weight",
	}
	parity.OnTorch(t, func() error {
		m := fresh(.5)
		defer m.Params.Free()
		var before [][]float32
		for _, p := range m.Params.All() {
			before = append(before, p.Floats())
		}
		m.TrainAttention(false)
		d := corpus.Encoded{IDs: [][]int64{{9, 10}, {11}, {12, 13}}, Styles: []int{0, 1, 1}}
		_, err := m.Train(context.Background(), d, d, Loss{
			LambdaCon:   1,
			DivLSTMLoss: recipe.DivLSTMLoss{Reduction: recipe.Sum, ConicityForm: recipe.AbsMeanForm},
		},
			nn.Recipe{
				Training: recipe.Training{Epochs: 2, LR: .01, Beta1: .5, BatchTokens: 4}, Seed: 2,
				KeepLast: true,
			})
		if err != nil {
			return err
		}
		for i, p := range m.Params.All() {
			name := m.Params.Names()[i]
			if same := slices.Equal(before[i], p.Floats()); same != slices.Contains(frozen, name) {
				t.Errorf("%s is the same after training: %t", name, same)
			}
		}
		return nil
	})
}

// TestValidateUsesItsObjective checks that the dev loss uses the objective's form of conicity. If
// cross-entropy is summed, the dev loss must add conicity only once per batch. The field Conicity
// of the result must not depend on the objective.
func TestValidateUsesItsObjective(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(.5)
		defer m.Params.Free()
		// Both sentences are in one batch.
		d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12, 13, 14}}, Styles: []int{0, 1}}
		plain, err := m.Validate(context.Background(), d, Loss{})
		if err != nil {
			return err
		}
		states := m.Forward(nn.Stack(d.IDs, []int{0, 1}), false).States
		for _, form := range []recipe.ConicityForm{recipe.AbsForm, recipe.SignedForm, recipe.AbsMeanForm} {
			for reduction, share := range map[recipe.BatchReduction]float64{recipe.Mean: 1, recipe.Sum: .5} {
				got, err := m.Validate(context.Background(), d, Loss{
					LambdaCon: 3, DivLSTMLoss: recipe.DivLSTMLoss{Reduction: reduction, ConicityForm: form},
				})
				if err != nil {
					return err
				}
				want := plain.Loss + 3*share*batchConicity(states, form).Item()
				if math.Abs(got.Loss-want) > 1e-5 || got.Conicity != plain.Conicity {
					t.Errorf(
						"form %s, reduction %s: %+v, want loss %v and conicity %v", form, reduction, got, want,
						plain.Conicity,
					)
				}
			}
		}
		return nil
	})
}

// TestConicityStaysWithinItsRange checks that conicity is at most 1. A sentence of one word has one
// state, which equals the mean state. The cosine of the two is 1, but rounding in float32 may make
// this cosine larger.
func TestConicityStaysWithinItsRange(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(.5)
		defer m.Params.Free()
		for id := int64(9); id < 15; id++ {
			got, err := m.Validate(context.Background(), corpus.Encoded{IDs: [][]int64{{id}}, Styles: []int{0}}, Loss{})
			if err != nil {
				return err
			}
			if got.Conicity > 1 || got.Conicity < 1-1e-6 {
				t.Errorf("word %d: conicity %v", id, got.Conicity)
			}
		}
		return nil
	})
}

// TestConfigFile checks that the shape of a model is stored with the key names of an experiment
// file and can be read back.
func TestConfigFile(t *testing.T) {
	c := Config{
		Vocab: 30, DivLSTMShape: recipe.DivLSTMShape{Embedding: 6, Hidden: 5, Attention: 4, Bidirectional: true},
		Dropout: .5,
	}
	testkit.WantShape(t, c, map[string]any{
		"vocab": 30., "embedding": 6., "hidden": 5., "attention": 4., "bidirectional": true, "dropout": .5,
	})
}
