package report

import "github.com/smlm-exp/smlm-exp/masking/policy"

// methods are the attribution methods in the order of the paper's table, with their names there.
// The paper's text names Attention * X, its table has no row of it. The random one is ours.
var methods = []struct {
	key  policy.Method
	name string
}{
	{policy.VanillaAttention, "Vanilla Attention (VA)"},
	{policy.AttentionXInput, "Attention * X"},
	{policy.ExplainableAttention, "Explainable Attention (EA)"},
	{policy.Gradients, "Vanilla Gradients"},
	{policy.GradientsXInput, "Gradients * X"},
	{policy.IntegratedGradients, "Integrated Gradients"},
	{policy.Random, "Random"},
	{policy.NoMasking, "No Masking"},
}

// methodName returns the name of a method, or the key itself where it is not one of methods.
func methodName(key policy.Method) string {
	if i := methodRank(key); i < len(methods) {
		return methods[i].name
	}
	return string(key)
}

// methodRank returns the place of a method in the table; unknown ones come last.
func methodRank(key policy.Method) int {
	for i, m := range methods {
		if m.key == key {
			return i
		}
	}
	return len(methods)
}
