// Package parity holds what the tests that compare models with PyTorch share: they load recorded
// weights, go forward and back once, and take ten steps of Adam.
package parity

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// All is the one batch of every recorded file.
var All = []int{0, 1, 2, 3, 4, 5}

// Ten is the recorded training: one batch an epoch, so that the history holds every step's loss.
var Ten = nn.Recipe{
	Training: recipe.Training{Epochs: 10, LR: 1e-3, Beta1: .5, Beta2: .999, BatchTokens: 100}, KeepLast: true,
}

// OnTorch runs fn on the torch thread.
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

// Grads compares the gradients that a Backward left, and drops them. A frozen parameter has none,
// here as there.
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

// Weights compares the weights after ten steps. Elements that skip accepts, by parameter and index,
// are left out.
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
