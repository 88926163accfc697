package recipe

// DivLSTMLoss configures the loss of the Diversity-LSTM.
type DivLSTMLoss struct {
	// Reduction is how cross-entropy is reduced over a batch, "mean" or "sum". Conicity is always a
	// mean, so with "sum" its weight lambda_con has about 300 times less effect.
	Reduction BatchReduction `json:"reduction" default:"mean" authors:"sum"`
	// ConicityForm is the formula of conicity: "abs" is mean |cosine| (Mohankumar et al.),
	// "abs_mean" is |mean cosine|, "signed" is the mean cosine. "signed" is printed in the paper,
	// but has no useful lower bound.
	ConicityForm ConicityForm `json:"conicity_form" default:"abs" authors:"abs_mean"`
}

// BatchReduction is how the Diversity-LSTM's cross-entropy is reduced over a batch. Conicity is
// always a mean.
type BatchReduction string

// These are the reductions over a batch. The empty string means Mean.
const (
	Mean BatchReduction = "mean"
	Sum  BatchReduction = "sum" // used by the authors' code
)

// Choices lists the values that an experiment file may contain.
func (BatchReduction) Choices() []string { return Choices(Mean, Sum) }

// ConicityForm says where conicity takes the absolute value.
type ConicityForm string

// These are the forms of conicity. The empty string means AbsForm.
const (
	AbsForm     ConicityForm = "abs"      // absolute value of every cosine (Mohankumar et al. 2020)
	SignedForm  ConicityForm = "signed"   // no absolute value, as the formula is printed in the paper
	AbsMeanForm ConicityForm = "abs_mean" // absolute value of the mean cosine of a batch (the authors' code)
)

// Choices lists the values that an experiment file may contain.
func (ConicityForm) Choices() []string { return Choices(AbsForm, SignedForm, AbsMeanForm) }
