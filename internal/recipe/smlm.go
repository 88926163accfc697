package recipe

// Objective says which words count in a reconstruction loss, which is a mean over words. By default
// all words count, as in the paper's L_BS.
type Objective struct {
	// Loss is which words count in the loss: "all" (the paper) or only the "masked" ones.
	Loss Loss `json:"loss" default:"all"`
}

// Loss says which words count in a reconstruction loss.
type Loss string

// These are the losses. The empty string means All.
const (
	All    Loss = "all"    // all words
	Masked Loss = "masked" // only masked words
)

// Choices lists the values that an experiment file may contain.
func (Loss) Choices() []string { return Choices(All, Masked) }

// VariedMasks says how the masks of a training sentence differ from epoch to epoch. With the zero
// value, as in the paper, they do not differ.
type VariedMasks struct {
	// DrawnShare is the largest share of a sentence's words that training masks. Each epoch draws a
	// share for every sentence, up to this one, and masks the words with the highest scores. Then
	// one model, trained once, suits all values of lambda_eps. 0: training uses the masks of
	// lambda_eps or, if lambda_eps is "auto", draws shares up to 0.6.
	DrawnShare float64 `json:"drawn_share,omitempty" must:"from 0 to 1"`
	// RandomMasks is the share of unmasked training words that are masked too. Each epoch draws
	// other words.
	RandomMasks float64 `json:"random_masks" must:"at least 0 and below 1"`
}

// Finetune says what fine-tuning minimises, and for how long.
type Finetune struct {
	// LambdaSta is the weight of the style term, L_FT.
	LambdaSta float64 `json:"lambda_sta" default:"1" must:"0 or more"`
	// LambdaRec is the weight of same-style reconstruction, L_BS. With 0, the outputs of a
	// direction on Yelp had only 5 to 19 different words in all (decision 003).
	LambdaRec float64 `json:"lambda_rec" default:"10" must:"0 or more"`
	// Reading is the loss of the style head: "algorithm" is L_cls (Algorithm 1); "minmax" is L_cls
	// - L_FT (the printed formula), which also teaches the head that outputs lack the target style
	// (decision 017).
	Reading Reading `json:"reading,omitempty" default:"algorithm"`
	// MaxSteps is the number of steps after which training stops. 0: no limit.
	MaxSteps int `json:"max_steps" must:"0 or more"`
}

// Reading says what the style head learns in addition to L_cls. The paper can be read in two ways
// (docs/decisions/017-two-readings.md).
type Reading string

// These are the readings. The empty string means Algorithm.
const (
	Algorithm Reading = "algorithm" // the head learns only L_cls (the paper's Algorithm 1)
	MinMax    Reading = "minmax"    // the head also learns that outputs lack the target style (the printed L_FT)
)

// Choices lists the values that an experiment file may contain.
func (Reading) Choices() []string { return Choices(Algorithm, MinMax) }

// Decoding is how the words of an output are chosen. The ways of decoding differ mainly at the
// places that are not masked.
type Decoding string

// These are the ways of decoding. The empty string means Predicted. Guided holds the settings of
// GuidedDecoding.
const (
	Copied         Decoding = "copied"    // words that are not masked are copied from the source
	Predicted      Decoding = "predicted" // the model chooses all words
	GuidedDecoding Decoding = "guided"    // a search chooses edits of the source
)

// Choices lists the values that an experiment file may contain.
func (Decoding) Choices() []string { return Choices(Copied, Predicted, GuidedDecoding) }

// Copies reports whether words that are not masked are copied from the source.
func (d Decoding) Copies() bool { return d == Copied }
