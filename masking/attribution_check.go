package masking

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

const defaultSteps = 32

// withDefaults returns a with every "" written out, or an error where a field, the model or the
// data do not fit.
func (a Attribution) withDefaults(m *divlstm.Model, d corpus.Encoded) (Attribution, error) {
	if !slices.Contains(policy.Methods, a.Method) || a.Method.Scored() != a.Method {
		return a, fmt.Errorf("unknown method %q", a.Method)
	}
	err := cmp.Or(
		check("target", &a.AttrTarget), check("reduction", &a.AttrReduce), check("scale", &a.AttrScale),
		check("baseline", &a.IGBaseline), check("rule", &a.IGRule),
	)
	if err != nil {
		return a, err
	}
	if a.AttrReduce == policy.AutoReduce {
		a.AttrReduce = policy.Sum
		if a.Method == policy.Gradients {
			a.AttrReduce = policy.L2
		}
	}
	if a.IGSteps == 0 {
		a.IGSteps = defaultSteps
	}
	switch {
	case a.IGSteps < 0:
		return a, fmt.Errorf("%d steps, but one is the least", a.IGSteps)
	case a.IGBaseline == policy.MeanBaseline && m.Config.Vocab <= corpus.NumSpecial:
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

// check writes the first choice in place of "", and refuses what is none.
func check[T interface {
	~string
	Choices() []string
}](name string, value *T,
) error {
	known := (*value).Choices()
	if *value == "" {
		*value = T(known[0])
	}
	if !slices.Contains(known, string(*value)) {
		return fmt.Errorf("unknown %s %q", name, *value)
	}
	return nil
}
