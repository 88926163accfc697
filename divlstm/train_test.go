package divlstm

import (
	"context"
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
)

// TestValidateUsesItsObjective checks that the dev loss has lambda_con times the mean conicity. The
// field Conicity of the result must not depend on the objective.
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
		got, err := m.Validate(context.Background(), d, Loss{LambdaCon: 3})
		if err != nil {
			return err
		}
		want := plain.Loss + 3*conicity(states).Mean().Item()
		if math.Abs(got.Loss-want) > 1e-5 || got.Conicity != plain.Conicity {
			t.Errorf("%+v, want loss %v and conicity %v", got, want, plain.Conicity)
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
