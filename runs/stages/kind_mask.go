package stages

import (
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Mask cuts the scores of the words into masks (the paper, eq. 1 and 2).
const Mask stage.Kind = "mask"

var maskKind = stage.Definition{
	Name: Mask, Version: 2, Inputs: "attribution",
	Files: "`{train,dev,test}.{0,1}.mask` of the splits scored there: a line a sentence, a digit a word, 1 = masked; " +
		"`counts.json`: by file (`train.0`), `sentences`, `words`, `masked` words, `all` and `none`: sentences " +
		"masked whole " +
		"and not at all",
}

// MaskSettings is a policy and what matters to it. With Random as many words of every sentence as
// the policy would mask are masked at places drawn by Seed.
type MaskSettings struct {
	policy.Policy
	Random bool   `json:"random,omitempty"`
	Seed   uint64 `json:"seed,omitempty"` // random only
}

// NewMask returns the policy that a method's scores are cut by.
func NewMask(s *experiment.Settings, method policy.Method, seed uint64) MaskSettings {
	if method == policy.NoMasking {
		return MaskSettings{Policy: policy.Policy{Name: policy.None}}
	}
	m := MaskSettings{Policy: policy.Policy{Name: s.Masking.Policy}}
	switch m.Name {
	case policy.Surplus:
		m.LambdaEps, m.Comparator = s.Masking.LambdaEps, s.Masking.Comparator
		if method.ByGradients() {
			m.LambdaEps = s.Masking.LambdaEpsGradients
		}
		if s.DivLSTM.StartToken {
			m.Extra = 1
		}
	case policy.TopK:
		m.TopK = s.Masking.TopK
	case policy.TopShare:
		m.TopShare = s.Masking.TopShare
	}
	if method == policy.Random {
		m.Random, m.Seed = true, seed
	}
	return m
}
