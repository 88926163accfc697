package nn

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Adam is an optimizer for one set of parameters (Kingma and Ba 2015; eps 1e-8), with gradient
// clipping and a linear warm-up.
type Adam struct {
	Params   *Params
	Steps    int     // number of steps done
	Share    float64 // factor on the learning rate, 1 at the start
	settings recipe.Training
	m, v     []*torch.Tensor
}

// beta2 is the decay rate of the mean squared gradient, as in Kingma and Ba and in the paper's
// published code.
const beta2 = 0.999

// NewAdam returns an optimizer whose moments are zero. It uses the settings LR, Beta1, Warmup and
// Clip.
func NewAdam(p *Params, settings recipe.Training) *Adam {
	a := &Adam{Params: p, Share: 1, settings: settings}
	for _, t := range p.All() {
		a.m = append(a.m, torch.Zeros(t.Shape()...).Own())
		a.v = append(a.v, torch.Zeros(t.Shape()...).Own())
	}
	return a
}

// Step updates parameters on the CPU by their gradients, and drops the gradients. It returns the
// norm of all gradients together, before clipping. If the norm is not finite, no parameter changes,
// and the error names the first parameter with a bad gradient.
func (a *Adam) Step() (norm float64, err error) {
	lr, h := a.lr(), a.settings
	norm, bad := torch.AdamStep(
		a.Params.All(), a.m, a.v, lr, h.Beta1, beta2, 1e-8, a.Steps+1, h.Clip)
	torch.ZeroGrad(a.Params.All())
	if bad >= 0 {
		return norm, fmt.Errorf("the gradient of %s is not finite at step %d; lower lr or set clip",
			a.Params.Names()[bad], a.Steps+1)
	}
	a.Steps++
	return norm, nil
}

// stepLazy does the same as Step, but does not wait for the device. It returns the norm as a scalar
// tensor on the device. If the norm is not finite, no parameter changes.
func (a *Adam) stepLazy() (norm *torch.Tensor) {
	lr, h := a.lr(), a.settings
	norm = torch.AdamStepLazy(
		a.Params.All(), a.m, a.v, lr, h.Beta1, beta2, 1e-8, a.Steps+1, h.Clip)
	torch.ZeroGrad(a.Params.All())
	a.Steps++
	return norm
}

// lr returns the learning rate of the next step.
func (a *Adam) lr() float64 {
	lr := a.settings.LR * a.Share
	if a.Steps < a.settings.Warmup {
		return lr * float64(a.Steps+1) / float64(a.settings.Warmup)
	}
	return lr
}

// Moments returns the first and second moments, in the order of the parameters.
func (a *Adam) Moments() (m, v []*torch.Tensor) { return a.m, a.v }

// Free releases the moments.
func (a *Adam) Free() {
	for i := range a.m {
		a.m[i].Free()
		a.v[i].Free()
	}
}
