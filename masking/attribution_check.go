package masking

import (
	"errors"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// The values of every field, the default first; "" stands for it.
var (
	targets   = []string{"logodds", "loss"}
	reduces   = []string{"auto", "sum", "l2", "abs"}
	scales    = []string{"positive", "softmax"}
	baselines = []string{"zero", "mean"}
	rules     = []string{"gauss_legendre", "left", "midpoint"}
)

const defaultSteps = 32

// withDefaults returns a with every "" written out, or an error where a field, the model or the data do not fit.
func (a Attribution) withDefaults(m *divlstm.Model, d nn.Labelled) (Attribution, error) {
	if !slices.Contains(policy.Methods, a.Method) || a.Method.Scored() != a.Method {
		return a, fmt.Errorf("unknown method %q", a.Method)
	}
	for _, f := range []struct {
		name  string
		value *string
		known []string
	}{
		{"target", &a.Target, targets},
		{"reduction", &a.Reduce, reduces},
		{"scale", &a.Scale, scales},
		{"baseline", &a.Baseline, baselines},
		{"rule", &a.Rule, rules},
	} {
		if *f.value == "" {
			*f.value = f.known[0]
		}
		if !slices.Contains(f.known, *f.value) {
			return a, fmt.Errorf("unknown %s %q", f.name, *f.value)
		}
	}
	if a.Reduce == "auto" {
		a.Reduce = "sum"
		if a.Method == policy.Gradients {
			a.Reduce = "l2"
		}
	}
	if a.Steps == 0 {
		a.Steps = defaultSteps
	}
	switch {
	case a.Steps < 0:
		return a, fmt.Errorf("%d steps, but one is the least", a.Steps)
	case a.Baseline == "mean" && m.Config.Vocab <= corpus.NumSpecial:
		return a, errors.New("the vocabulary has no ordinary word to take a mean baseline of")
	case len(d.Styles) != len(d.IDs):
		return a, fmt.Errorf("%d styles for %d sentences", len(d.Styles), len(d.IDs))
	}
	for i, ids := range d.IDs {
		if len(ids) == 0 {
			return a, fmt.Errorf("sentence %d has no words", i+1)
		}
		if d.Styles[i] != 0 && d.Styles[i] != 1 {
			return a, fmt.Errorf("sentence %d has the style %d, but the model tells 0 from 1", i+1, d.Styles[i])
		}
	}
	return a, nil
}
