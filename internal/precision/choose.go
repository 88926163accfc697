package precision

import (
	"fmt"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Clock measures parts, and keeps what it found in a folder.
type Clock struct {
	Dir     string // "" = nothing outlives the process
	Machine func() Machine
	Measure func(Part) (Timing, error)

	known map[string]kept // by file
}

// New returns the clock of this machine.
func New() *Clock { return &Clock{Dir: Folder(), Machine: here, Measure: Measure} }

// Choice is what "auto" comes to, and why.
type Choice struct {
	Precision recipe.Precision `json:"precision"`
	recipe.Measured
}

// gain is how much less time bfloat16 must take to be chosen: a step has more in it than what was
// measured, and where both are alike float32 is the finer one.
const gain = 1.05

// hopeless is how much longer than in float32 the probe takes in bfloat16 where no layer can be
// faster in it, whatever a call of a library costs beside its product.
const hopeless = 5

// Choose returns the precision in which a step of these parts takes less time on the current
// device. A CUDA device is asked what it has. Call it on the torch thread.
func (c *Clock) Choose(parts ...Part) (Choice, error) {
	if torch.OnCUDA() {
		if torch.HasBF16() {
			return because(recipe.BF16, torch.Device()+" multiplies bfloat16 in hardware"), nil
		}
		return because(recipe.FP32, torch.Device()+" does not multiply bfloat16 in hardware"), nil
	}
	if why := torch.WhyNoBF16(); why != "" {
		return because(recipe.FP32, why), nil
	}
	return c.onCPU(parts)
}

func because(p recipe.Precision, why string) Choice {
	return Choice{p, recipe.Measured{Why: why}}
}

// onCPU goes by measured times.
func (c *Clock) onCPU(parts []Part) (Choice, error) {
	m := c.Machine()
	t, err := c.timing(m, probe)
	if err != nil {
		return Choice{}, err
	}
	if t.BF16 > hopeless*t.FP32 {
		return because(recipe.FP32, fmt.Sprintf(
			"a small bfloat16 product takes %.2gx as long as in float32 (measured %s)", t.ratio(),
			t.When.Format(time.DateOnly),
		)), nil
	}
	sum := recipe.Measured{}
	var when time.Time
	for _, p := range parts {
		t, err := c.timing(m, p)
		if err != nil {
			return Choice{}, err
		}
		sum.FP32, sum.BF16 = sum.FP32+p.Times*t.FP32, sum.BF16+p.Times*t.BF16
		if t.When.After(when) {
			when = t.When
		}
	}
	choice := Choice{recipe.FP32, sum}
	if sum.BF16*gain < sum.FP32 {
		choice.Precision = recipe.BF16
	}
	choice.Why = fmt.Sprintf("its layers take %.3g ms in float32 and %.3g ms in bfloat16 (measured %s)",
		1e3*sum.FP32, 1e3*sum.BF16, when.Format(time.DateOnly))
	return choice, nil
}
