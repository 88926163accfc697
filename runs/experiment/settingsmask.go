package experiment

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// DivLSTMSettings shape the Diversity-LSTM (Mohankumar et al. 2020). lr, beta1, beta2, dropout and
// all widths are those of the authors' code, which trains for 30 epochs. The keys from
// conicity_form on, but for restarts, are for quirks of that code.
type DivLSTMSettings struct {
	recipe.Training
	// LambdaCon is weight of conicity: 0.5 belongs to reduction "mean" (Mohankumar et al.); the
	// paper's 10, for Amazon 20, to "sum", as in the authors' code
	LambdaCon float64 `json:"lambda_con" must:"0 or more"`
	recipe.DivLSTMShape
	recipe.DivLSTMLoss
	recipe.DivLSTMInputs
	// Restarts is how many times, at most 1,000, training begins anew from other weights while the
	// attention is not healthy: in dev sentences of either style, leaving out the most-attended
	// word must take a quarter of the evidence from the selector that leaving out the best word
	// would; where it never is, the training nearest to it is kept
	Restarts int `json:"restarts,omitempty" must:"from 0 to 1000"`
	// TrainAttention is false: attention and latent maps stay as drawn, as in the authors' code,
	// whose optimizer is made before them
	TrainAttention bool `json:"train_attention"`
}

// MaskingSettings choose the words to mask.
type MaskingSettings struct {
	// Methods is explainable_attention, vanilla_attention (lambda_con = 0), attention_x_input (the
	// same, times the length of the word's vector), gradients, gradients_x_input,
	// integrated_gradients, random (equal share), none
	Methods []policy.Method `json:"methods"`
	// TrainOn is those of methods whose masks the models are trained on; the rest are only scored,
	// on the dev and test sets
	TrainOn []policy.Method `json:"train_on"`
	// Policy is "surplus": score >= (1 + lambda_eps) / n; "top_k"; "top_share"
	Policy    policy.Name `json:"policy"`
	LambdaEps float64     `json:"lambda_eps" must:"from 0 to 1000"` // of the surplus policy; the paper: 0.15, SNLI 0.5
	// LambdaEpsGradients is lambda_eps of the three gradient methods, for which the paper found 0
	// best.
	LambdaEpsGradients float64 `json:"lambda_eps_gradients" must:"from 0 to 1000"`
	// Comparator is ">=" (the paper) or ">" (the authors' code): uniform attention masks everything
	// or nothing
	Comparator policy.Comparator `json:"comparator"`
	TopK       int               `json:"top_k" must:"1 or more"` // words a sentence, policy top_k
	// TopShare is part of a sentence, rounded up, policy top_share
	TopShare float64 `json:"top_share" must:"above 0 and at most 1"`
	policy.Scoring
}
