package policy

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// Scoring says by which definition a method scores words. x is what enters the LSTM, word vectors
// or latents, and F what is explained. "" and 0 are the first choice of every field, the usual
// definition; most other values are those of the authors' code.
type Scoring struct {
	// Sampling is dropout stays on and latents are sampled while words are scored (the authors'
	// code): another seed masks other words
	Sampling bool `json:"sampling,omitempty"`
	// AttrTarget is what gradients are of: "logodds" of the sentence's own style, or "loss": the
	// training loss (the authors' code)
	AttrTarget AttrTarget `toml:"attr_target" json:"target,omitempty"`
	// AttrReduce is a word's vector to one number: "auto" (l2 for gradients, signed sum for the
	// others), "sum" (the authors' code), "l2", "abs"
	AttrReduce AttrReduce `toml:"attr_reduce" json:"reduce,omitempty"`
	// AttrScale is numbers to scores that sum to 1: "positive" parts over their sum, or "softmax"
	// (the authors' code)
	AttrScale AttrScale `toml:"attr_scale" json:"scale,omitempty"`
	// IGBaseline is integrated gradients: from "zero", or the "mean" input vector of the vocabulary
	IGBaseline IGBaseline `toml:"ig_baseline" json:"baseline,omitempty"`
	// IGRule is "gauss_legendre", "midpoint" or "left" ends (the authors' code)
	IGRule IGRule `toml:"ig_rule" json:"rule,omitempty"`
	// IGSteps is points on the path; 5 in the authors' code
	IGSteps int `toml:"ig_steps" json:"steps,omitempty" must:"from 1 to 10000"`
	// IGTimesInput is false: the average gradient alone, as in the authors' code
	IGTimesInput bool `toml:"ig_times_input" json:"-"`
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
