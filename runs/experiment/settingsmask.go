package experiment

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// DivLSTMSettings shape the Diversity-LSTM (Mohankumar et al. 2020). The last five are quirks of the authors' code.
type DivLSTMSettings struct {
	recipe.Training
	LambdaCon      float64 `toml:"lambda_con" json:"lambda_con"` // weight of conicity; the paper: 10, Amazon 20
	Embedding      int     `toml:"embedding" json:"embedding"`
	Hidden         int     `toml:"hidden" json:"hidden"`                   // a direction
	Attention      int     `toml:"attention" json:"attention"`             // width of the additive attention
	Bidirectional  bool    `toml:"bidirectional" json:"bidirectional"`     // the authors' code: true; Mohankumar et al.: false
	Reduction      string  `toml:"reduction" json:"reduction"`             // cross-entropy over a batch: "mean" or "sum" (the authors' code); conicity is always a mean
	ConicityForm   string  `toml:"conicity_form" json:"conicity_form"`     // "abs": mean |cosine| (Mohankumar et al.); "signed": as the paper prints it; "abs_mean": |mean cosine| (the authors' code)
	ConicityAxis   string  `toml:"conicity_axis" json:"conicity_axis"`     // "time": over a sentence's states; "batch": over the batch's sentences at one position (the authors' code)
	Latent         int     `toml:"latent" json:"latent"`                   // width of a sampled latent vector between embedding and LSTM, 0 = none; 128 in the authors' code
	StartToken     bool    `toml:"start_token" json:"start_token"`         // <bos> before every sentence: attention on it is lost to the words, and n in the threshold counts it
	TrainAttention bool    `toml:"train_attention" json:"train_attention"` // false: attention and latent maps stay as drawn, as in the authors' code, whose optimizer is made before them
}

// MaskingSettings choose the words to mask.
type MaskingSettings struct {
	Methods   []policy.Method `toml:"methods" json:"methods"`       // explainable_attention, vanilla_attention (lambda_con = 0), gradients, gradients_x_input, integrated_gradients, random (equal share), none
	TrainOn   []policy.Method `toml:"train_on" json:"train_on"`     // those of methods whose masks the models are trained on; the rest are only scored, on the dev and test sets
	Policy    policy.Name     `toml:"policy" json:"policy"`         // "surplus": score >= (1 + lambda_eps) / n; "top_k"; "top_share"
	LambdaEps float64         `toml:"lambda_eps" json:"lambda_eps"` // of the surplus policy; the paper: 0.15, SNLI 0.5
	// LambdaEpsGradients is lambda_eps of the three gradient methods, for which the paper found 0 best.
	LambdaEpsGradients float64 `toml:"lambda_eps_gradients" json:"lambda_eps_gradients"`
	Comparator         string  `toml:"comparator" json:"comparator"`         // ">=" (the paper) or ">" (the authors' code): uniform attention masks everything or nothing
	TopK               int     `toml:"top_k" json:"top_k"`                   // words a sentence, policy top_k
	TopShare           float64 `toml:"top_share" json:"top_share"`           // part of a sentence, rounded up, policy top_share
	Sampling           bool    `toml:"sampling" json:"sampling"`             // dropout stays on and latents are sampled while words are scored (the authors' code): two runs then disagree
	AttrTarget         string  `toml:"attr_target" json:"attr_target"`       // what gradients are of: "logodds" of the sentence's own style, or "loss": the training loss (the authors' code)
	AttrReduce         string  `toml:"attr_reduce" json:"attr_reduce"`       // a word's vector to one number: "auto" (l2 for gradients, signed sum for the others), "sum" (the authors' code), "l2", "abs"
	AttrScale          string  `toml:"attr_scale" json:"attr_scale"`         // numbers to scores that sum to 1: "positive" parts over their sum, or "softmax" (the authors' code)
	IGBaseline         string  `toml:"ig_baseline" json:"ig_baseline"`       // integrated gradients: from "zero", or the "mean" input vector of the vocabulary
	IGRule             string  `toml:"ig_rule" json:"ig_rule"`               // "gauss_legendre", "midpoint" or "left" ends (the authors' code)
	IGSteps            int     `toml:"ig_steps" json:"ig_steps"`             // points on the path; 5 in the authors' code
	IGTimesInput       bool    `toml:"ig_times_input" json:"ig_times_input"` // false: the average gradient alone, as in the authors' code
}
