package recipe

// DivLSTMLoss says how the Diversity-LSTM's cross-entropy adds up, and what its conicity is.
type DivLSTMLoss struct {
	// Reduction is how cross-entropy adds up over a batch. Conicity is always a mean, so with "sum"
	// lambda_con weighs some 300 times less.
	Reduction BatchReduction `json:"reduction" default:"mean" authors:"sum"`
	// ConicityForm is where conicity takes the absolute value: "abs" is mean |cosine| (Mohankumar
	// et al.), "abs_mean" is |mean cosine|, "signed" takes none. "signed" is printed in the paper,
	// but has no useful lower bound.
	ConicityForm ConicityForm `json:"conicity_form" default:"abs" authors:"abs_mean"`
}

// BatchReduction is how the Diversity-LSTM's cross-entropy adds up over a batch; conicity is always
// a mean.
type BatchReduction string

// The reductions over a batch; "" is Mean.
const (
	Mean BatchReduction = "mean"
	Sum  BatchReduction = "sum" // what the authors' code does
)

// Choices lists the values that a file may give.
func (BatchReduction) Choices() []string { return Choices(Mean, Sum) }

// ConicityForm says where conicity takes the absolute value.
type ConicityForm string

// The forms; "" is AbsForm.
const (
	AbsForm     ConicityForm = "abs"      // of every cosine (Mohankumar et al. 2020)
	SignedForm  ConicityForm = "signed"   // nowhere: the paper's formula as printed
	AbsMeanForm ConicityForm = "abs_mean" // of the mean of all cosines of a batch: the authors' code
)

// Choices lists the values that a file may give.
func (ConicityForm) Choices() []string { return Choices(AbsForm, SignedForm, AbsMeanForm) }
