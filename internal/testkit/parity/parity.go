// Package parity helps tests that compare models with PyTorch. It compares gradients, and the
// losses and weights of ten steps of Adam, with the values recorded from PyTorch. It is separate
// from testkit because it needs libtorch.
package parity

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// All is a batch of the six sentences in a recorded file, by their indices.
var All = []int{0, 1, 2, 3, 4, 5}

// Ten is the recipe of the training run whose results were recorded from PyTorch. The run has ten
// epochs. Each epoch has one batch, so that the history has the loss of every step.
var Ten = nn.Recipe{
	Training: recipe.Training{Epochs: 10, LR: 1e-3, Beta1: .5, BatchTokens: 100}, KeepLast: true,
}

// OnTorch runs fn on the torch thread, with seed 1.
func OnTorch(t testing.TB, fn func() error) {
	t.Helper()
	err := torch.Run(func() error {
		torch.Seed(1)
		return fn()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Sentences returns the recorded sentences and their styles.
func Sentences(r *testkit.Recorded) corpus.Encoded {
	return corpus.Encoded{IDs: r.Rows("input.ids"), Styles: r.Styles()}
}

// Grads compares the gradients of a backward pass with the recorded ones, and then clears the
// gradients. Frozen parameters have no gradient, as in PyTorch.
func Grads(r *testkit.Recorded, p *nn.Params) {
	for i, t := range p.All() {
		if g := t.Grad(); g != nil {
			r.Near("grad."+p.Names()[i], g.Floats())
		}
	}
	torch.ZeroGrad(p.All())
}

// Losses compares the losses of ten steps with those recorded under name.
func Losses(r *testkit.Recorded, name string, h *nn.History) {
	var got []float32
	for _, e := range h.Epochs {
		got = append(got, float32(e.TrainLoss))
	}
	r.Near(name, got)
}

// Weights compares the weights after ten steps with the recorded ones. It ignores element i of a
// parameter if a function skip returns true for the parameter's name, its tensor and i.
func Weights(r *testkit.Recorded, p *nn.Params, skip ...func(name string, t *torch.Tensor, i int) bool) {
	for k, t := range p.All() {
		name := p.Names()[k]
		var at []func(int) bool
		for _, s := range skip {
			at = append(at, func(i int) bool { return s(name, t, i) })
		}
		r.Near("final."+name, t.Floats(), at...)
	}
}

// Precision checks that the dev loss after training in bfloat16 differs from the dev loss after
// training in float32, but by at most 1 %. The function train must create a model with a vocabulary
// of at least 24 words and train it with d as both the training and the dev data.
func Precision(t *testing.T, train func(d corpus.Encoded, r nn.Recipe) (*nn.History, error)) {
	t.Helper()
	if !torch.HasBF16() {
		t.Skip("this CPU has no bfloat16 products")
	}
	d := corpus.Encoded{
		IDs:    [][]int64{{9, 12, 15}, {10, 13, 16}, {9, 13, 20}, {11, 12, 21}, {10, 22, 23}},
		Styles: []int{0, 1, 0, 1, 1},
	}
	OnTorch(t, func() error {
		var losses [2]float64
		for i, in := range []recipe.Precision{recipe.FP32, recipe.BF16} {
			r := Ten
			r.Precision, r.LR = in, 1e-2
			h, err := train(d, r)
			if err != nil {
				return err
			}
			losses[i] = h.Kept().Dev.Loss
		}
		if off := math.Abs(losses[0]-losses[1]) / losses[0]; off == 0 || off > .01 {
			t.Errorf("losses after ten steps are %v in float32 and %v in bfloat16", losses[0], losses[1])
		}
		return nil
	})
}
