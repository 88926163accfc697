package torch

import (
	"slices"
	"testing"
)

// TestWithGrad takes a derivative inside NoGrad, after which gradients are off again, also after a
// failure.
func TestWithGrad(t *testing.T) {
	err := Run(func() error {
		return NoGrad(func() error {
			x := FromFloats([]float32{2, 3}, 2)
			err := WithGrad(func() error {
				leaf := x.Leaf()
				got := Grads([]*Tensor{leaf.Mul(leaf)}, []*Tensor{leaf})[0].Floats()
				if !slices.Equal(got, []float32{4, 6}) {
					t.Errorf("gradient of the square at 2, 3: %v", got)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if err := WithGrad(func() error { x.MatMul(Ones(3, 3)); return nil }); err == nil {
				t.Error("a product of shapes that do not fit is no error")
			}
			if was := setGrad(false); was {
				t.Error("gradients stay on")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
