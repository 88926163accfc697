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

// Slotting says how many words may stand where one is masked. The zero value is the paper's: one.
//
// A masked word becomes Slots slots, side by side, to which training gives the word and then empty
// words. Some groups of slots hold several words in training, or none, so that a mask may become
// none, one or several words at transfer (padded masked language models: Malmi et al. 2020; FELIX:
// Mallinson et al. 2020).
type Slotting struct {
	// Slots is the largest number of words that a masked word may become; it may also become none.
	// 0: exactly one (decision 037).
	Slots int `json:"slots,omitempty" must:"from 0 to 8"`
	// Merge is the share of masked words whose slots also hold the next word, drawn anew each
	// epoch.
	Merge float64 `json:"merge,omitempty" default:"0.2" must:"at least 0 and below 1"`
	// Gaps is the share of gaps between words that get slots which stay empty, drawn anew each
	// epoch.
	Gaps float64 `json:"gaps,omitempty" default:"0.05" must:"at least 0 and below 1"`
}

// MostSlots bounds Slots.
const MostSlots = 8

// Needed returns the settings with those at zero that nothing reads, as other settings are off.
func (s Slotting) Needed() Slotting {
	if s.Slots == 0 {
		return Slotting{}
	}
	if s.Slots == 1 {
		s.Merge = 0
	}
	return s
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
	GuidedDecoding Decoding = "guided"    // words are copied, and masks are refilled as Guided says
)

// Choices lists the values that a file may give.
func (Decoding) Choices() []string { return Choices(Copied, Predicted, GuidedDecoding) }

// Copies tells whether words that are not masked are the source's.
func (d Decoding) Copies() bool { return d == Copied || d == GuidedDecoding }
