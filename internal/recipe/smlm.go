package recipe

// Objective says which words a reconstruction loss is a mean over. The zero value is the paper's
// L_BS: all words.
type Objective struct {
	// Loss is which words count: "all" (the paper) or "masked", those that are masked.
	Loss Loss `json:"loss" default:"all"`
}

// Loss says which words count.
type Loss string

// The losses; "" is All.
const (
	All    Loss = "all"    // words
	Masked Loss = "masked" // masked words
)

// Choices lists the values that a file may give.
func (Loss) Choices() []string { return Choices(All, Masked) }

// VariedMasks says how the masks of a training sentence differ from epoch to epoch. The zero value
// is the paper's: they do not.
type VariedMasks struct {
	// Reveal is the share of training sentences that show some of their masked words, drawn anew
	// each epoch, to teach filling masks one by one.
	Reveal float64 `json:"reveal" must:"from 0 to 1"`
	// RandomMasks is the share of unmasked training words that are masked too, drawn anew each
	// epoch.
	RandomMasks float64 `json:"random_masks" must:"at least 0 and below 1"`
}

// Finetune says what fine-tuning minimises, and for how long.
type Finetune struct {
	// LambdaSta is the weight of the style term.
	LambdaSta float64 `json:"lambda_sta" default:"1" must:"0 or more"`
	// LambdaRec is the weight of same-style reconstruction. With 0, outputs collapsed to one
	// word in a small study (decision 003).
	LambdaRec float64 `json:"lambda_rec" default:"10" authors:"0" must:"0 or more"`
	// Reading is how the head is built and what it learns: "algorithm", only L_cls; "minmax", also
	// to deny transferred sentences their style (the printed L_FT); "authors", the same with a
	// tenth of the weight and a head of two layers (decision 017).
	Reading Reading `json:"reading,omitempty" default:"algorithm" authors:"authors"`
	// MaxSteps is the number of steps after which training stops. 0: no limit.
	MaxSteps int `json:"max_steps" must:"0 or more"`
}

// Reading says what the head of fine-tuning learns beside L_cls. The paper can be read in two ways,
// and the authors' code is a third (docs/decisions/017-two-readings.md).
type Reading string

// The readings; "" is Algorithm.
const (
	Algorithm   Reading = "algorithm" // nothing: the paper's Algorithm 1
	MinMax      Reading = "minmax"    // to deny transferred sentences their style: the paper's printed L_FT
	AuthorsCode Reading = "authors"   // the same, with a weight and another head: the published code
)

// Choices lists the values that a file may give.
func (Reading) Choices() []string { return Choices(Algorithm, MinMax, AuthorsCode) }

// Weight is that of the term of L_FT in the head's loss.
func (r Reading) Weight() float64 {
	switch r {
	case MinMax:
		return 1
	case AuthorsCode:
		return 0.1
	default:
		return 0
	}
}

// HeadLayers is the number of linear layers of the style head, with nothing between them.
func (r Reading) HeadLayers() int {
	if r == AuthorsCode {
		return 2
	}
	return 1
}

// Decoding is how the words of an output are chosen, those at places that were not masked above
// all.
type Decoding string

// The decodings; "" is Predicted. The settings of the guided one are the type Guided.
const (
	Copied         Decoding = "copied"    // words that are not masked are the source's
	Predicted      Decoding = "predicted" // the model chooses all words
	GuidedDecoding Decoding = "guided"    // a search chooses edits of the source, as Guided says
)

// Choices lists the values that a file may give.
func (Decoding) Choices() []string { return Choices(Copied, Predicted, GuidedDecoding) }

// Copies tells whether words that are not masked are the source's.
func (d Decoding) Copies() bool { return d == Copied }
