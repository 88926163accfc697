package policy

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Method is how the words of a sentence get their scores.
type Method string

// The methods. All attention comes from Diversity-LSTMs, trained with or without conicity. Random
// and NoMasking do not score words, so they use the scores of explainable attention. Random needs
// these scores for the number of words to mask, and NoMasking for the lengths of the sentences.
const (
	ExplainableAttention Method = "explainable_attention" // attention of a model trained with conicity
	VanillaAttention     Method = "vanilla_attention"     // attention of a model trained with lambda_con = 0
	AttentionXInput      Method = "attention_x_input"     // vanilla attention times ||x_t|| (decisions/018)
	Gradients            Method = "gradients"             // dF/dx (Simonyan et al. 2014)
	GradientsXInput      Method = "gradients_x_input"     // x * dF/dx (Shrikumar et al. 2016)
	IntegratedGradients  Method = "integrated_gradients"  // Sundararajan et al. 2017, eq. 1
	Random               Method = "random"                // masks as many words as explainable attention, at random
	NoMasking            Method = "none"                  // masks no words
)

// Methods lists all methods, in the order in which Choices shows them.
var Methods = []Method{
	ExplainableAttention, VanillaAttention, AttentionXInput, Gradients, GradientsXInput, IntegratedGradients, Random,
	NoMasking,
}

// Choices returns the values that an experiment file may contain.
func (Method) Choices() []string { return recipe.Choices(Methods...) }

// ByGradients reports whether the method uses gradients. For such methods, the setting
// lambda_eps_gradients replaces lambda_eps.
func (m Method) ByGradients() bool {
	return slices.Contains([]Method{Gradients, GradientsXInput, IntegratedGradients}, m)
}

// Plain reports whether the method uses a model that was trained without conicity.
func (m Method) Plain() bool { return m == VanillaAttention || m == AttentionXInput }

// Scored returns the method whose scores m uses: explainable attention if m does not score words,
// else m itself.
func (m Method) Scored() Method {
	if m == Random || m == NoMasking {
		return ExplainableAttention
	}
	return m
}
