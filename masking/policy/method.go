package policy

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Method is how the words of a sentence get their scores.
type Method string

// The methods. All attentions are a Diversity-LSTM's; they differ in how it was trained. Random
// and NoMasking score nothing of their own: they take the scores of explainable attention, of which
// they use the counts and the sentences.
const (
	ExplainableAttention Method = "explainable_attention" // of a model trained with conicity
	VanillaAttention     Method = "vanilla_attention"     // of a model trained without, lambda_con = 0
	AttentionXInput      Method = "attention_x_input"     // vanilla attention a_t * ||x_t|| (decisions/018)
	Gradients            Method = "gradients"             // dF/dx (Simonyan et al. 2014)
	GradientsXInput      Method = "gradients_x_input"     // x * dF/dx (Shrikumar et al. 2016)
	IntegratedGradients  Method = "integrated_gradients"  // Sundararajan et al. 2017, eq. 1
	Random               Method = "random"                // as many words as explainable attention, anywhere
	NoMasking            Method = "none"                  // no word
)

// Methods are all of them, in the order of settings.
var Methods = []Method{
	ExplainableAttention, VanillaAttention, AttentionXInput, Gradients, GradientsXInput, IntegratedGradients, Random,
	NoMasking,
}

// Choices lists the values that a file may give.
func (Method) Choices() []string { return recipe.Choices(Methods...) }

// ByGradients tells whether a method differentiates: its threshold is lambda_eps_gradients, and the
// attr_ settings are its.
func (m Method) ByGradients() bool {
	return slices.Contains([]Method{Gradients, GradientsXInput, IntegratedGradients}, m)
}

// Plain tells whether a method reads a model trained without conicity.
func (m Method) Plain() bool { return m == VanillaAttention || m == AttentionXInput }

// Scored returns the method whose scores m masks by: m itself, or explainable attention where m
// scores nothing of its own.
func (m Method) Scored() Method {
	if m == Random || m == NoMasking {
		return ExplainableAttention
	}
	return m
}

// Scoring says by which definition a method scores words. x is what enters the LSTM, word vectors
// or latents, and F what is explained. "" and 0 are the first choice of every field, the usual
// definition; most other values are those of the authors' code.
type Scoring struct {
	// Sampling scores words with dropout on and sampled latents. Another seed then masks other
	// words.
	Sampling bool `json:"sampling,omitempty" authors:"true"`
	// AttrTarget is what gradients are taken of: "logodds" of the sentence's own style, or "loss",
	// the training loss, whose gradients point in the opposite direction.
	AttrTarget AttrTarget `json:"attr_target,omitempty" default:"logodds" authors:"loss"`
	// AttrReduce is how a word's vector becomes one number: "auto" ("l2" for gradients, "sum" for
	// the other methods), "sum" (signed), "l2" or "abs".
	AttrReduce AttrReduce `json:"attr_reduce,omitempty" default:"auto" authors:"sum"`
	// AttrScale is how these numbers become scores that add up to 1: "positive" (positive parts
	// over their sum) or "softmax", which is nearly uniform for gradients.
	AttrScale AttrScale `json:"attr_scale,omitempty" default:"positive" authors:"softmax"`
	// IGBaseline is where integrated gradients start: "zero", or "mean", the mean input vector of
	// the vocabulary.
	IGBaseline IGBaseline `json:"ig_baseline,omitempty" default:"zero"`
	// IGRule is the quadrature rule of integrated gradients; "left" takes left ends.
	IGRule IGRule `json:"ig_rule,omitempty" default:"gauss_legendre" authors:"left"`
	// IGSteps is the number of points on their path. The completeness gap in the table
	// "attribution" shows whether they suffice.
	IGSteps int `json:"ig_steps,omitempty" default:"32" authors:"5" must:"from 1 to 10000"`
	// IGTimesInput multiplies the average gradient by x - x'. Without, the attribution is not
	// complete.
	IGTimesInput bool `json:"ig_times_input,omitempty" default:"true" authors:"false"`
}

// AttrTarget is F.
type AttrTarget string

// The targets, of a sentence of style s.
const (
	LogOdds AttrTarget = "logodds" // z_s - z_other
	Loss    AttrTarget = "loss"    // cross-entropy plus lambda_con times conicity, as in training
)

// Choices lists the values that a file may give.
func (AttrTarget) Choices() []string { return recipe.Choices(LogOdds, Loss) }

// AttrReduce makes one number of a word's E.
type AttrReduce string

// The reductions.
const (
	AutoReduce AttrReduce = "auto" // l2 of gradients, sum of the two other methods
	Sum        AttrReduce = "sum"  // signed
	L2         AttrReduce = "l2"
	Abs        AttrReduce = "abs" // sum of magnitudes
)

// Choices lists the values that a file may give.
func (AttrReduce) Choices() []string { return recipe.Choices(AutoReduce, Sum, L2, Abs) }

// AttrScale makes a sentence's numbers a distribution.
type AttrScale string

// The scales.
const (
	Positive AttrScale = "positive" // max(a, 0) over their sum, uniform where nothing is positive
	Softmax  AttrScale = "softmax"
)

// Choices lists the values that a file may give.
func (AttrScale) Choices() []string { return recipe.Choices(Positive, Softmax) }

// IGBaseline is x' of integrated gradients.
type IGBaseline string

// The baselines.
const (
	ZeroBaseline IGBaseline = "zero"
	MeanBaseline IGBaseline = "mean" // the mean input over the vocabulary's ordinary words
)

// Choices lists the values that a file may give.
func (IGBaseline) Choices() []string { return recipe.Choices(ZeroBaseline, MeanBaseline) }

// IGRule is the quadrature of integrated gradients.
type IGRule string

// The rules.
const (
	GaussLegendre IGRule = "gauss_legendre"
	Midpoint      IGRule = "midpoint"
	Left          IGRule = "left" // ends
)

// Choices lists the values that a file may give.
func (IGRule) Choices() []string { return recipe.Choices(GaussLegendre, Midpoint, Left) }
