package nn

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestFreeze trains a two-layer product of which one layer is frozen: it keeps its bits, the other
// moves.
func TestFreeze(t *testing.T) {
	err := torch.Run(func() error {
		torch.Seed(1)
		p := NewParams()
		defer p.Free()
		first, second := NewLinear(p, "first", 2, 3), NewLinear(p, "second", 3, 1)
		p.Freeze("first.")
		before, moved := first.W.Floats(), second.W.Floats()
		opt := NewAdam(p, recipe.Training{LR: 0.1, Beta1: 0.9, Beta2: 0.999, Clip: 1})
		defer opt.Free()
		second.Forward(first.Forward(torch.Ones(4, 2))).Sum().Backward()
		if _, err := opt.Step(1); err != nil {
			return err
		}
		for i, v := range first.W.Floats() {
			if v != before[i] {
				t.Errorf("frozen weight %d went from %v to %v", i, before[i], v)
			}
		}
		if second.W.Floats()[0] == moved[0] {
			t.Error("the other layer did not move")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
