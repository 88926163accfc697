package recipe

// Objective says which positions a reconstruction loss counts, and how it adds them up. The zero
// value is the paper's L_BS: the mean over all words.
type Objective struct {
	// Loss says what counts: "all" words, which is the paper's equation; only "masked" words; or
	// "positions", control codes too, as in the authors' code.
	Loss Loss `json:"loss" default:"all" authors:"positions"`
	// Reduction says how the loss adds up: "word" is the mean over all that counts; "sentence" sums
	// over each sentence, as in the authors' code, and is the mean of the sums.
	Reduction LossReduction `json:"reduction" default:"word" authors:"sentence"`
}

// Loss says which positions count.
type Loss string

// The losses; "" is All.
const (
	All       Loss = "all"       // words
	Masked    Loss = "masked"    // masked words
	Positions Loss = "positions" // words, and <s_cls>, <eos> and the codes around them: the authors' code
)

// Choices lists the values that a file may give.
func (Loss) Choices() []string { return Choices(All, Masked, Positions) }

// LossReduction is what a reconstruction loss is a mean over.
type LossReduction string

// The reductions of a loss; "" is Word.
const (
	Word     LossReduction = "word"     // positions that count
	Sentence LossReduction = "sentence" // sentences, whose positions are added up: the authors' code
)

// Choices lists the values that a file may give.
func (LossReduction) Choices() []string { return Choices(Word, Sentence) }

// VariedMasks says how the masks of a training sentence differ from epoch to epoch. The zero value
// is the paper's: they do not.
type VariedMasks struct {
	// Reveal is the share of training sentences of which only some masked words stay masked, drawn
	// anew each epoch; it is 0 in the paper.
	Reveal float64 `json:"reveal" must:"from 0 to 1"`
	// RandomMasks is the share of the other words of training sentences that are masked too, drawn
	// anew each epoch; it is 0 in the paper.
	RandomMasks float64 `json:"random_masks" must:"at least 0 and below 1"`
}

// Slotting says how many words may stand where one is masked. The zero value is the paper's: one.
//
// A masked word becomes Slots slots, side by side, to which training gives the word and then empty
// words. Some groups of slots hold several words in training, or none, so that a mask may become
// none, one or several words at transfer (padded masked language models: Malmi et al. 2020; FELIX:
// Mallinson et al. 2020).
type Slotting struct {
	// Slots is the most words that a masked word may become; it may become none too. With 0, as in
	// the paper, it becomes one word.
	Slots int `json:"slots,omitempty" must:"from 0 to 8"`
	// Merge is the share of masked words whose slots take in the next word too, masked or not, as
	// long as there is a slot for it, drawn anew each epoch.
	Merge float64 `json:"merge,omitempty" default:"0.2" must:"at least 0 and below 1"`
	// Gaps is the share of the gaps between words of training sentences where slots are put that
	// stay empty, drawn anew each epoch.
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
	// Judge says who tells whether an output has the style asked for: "head" is the paper's
	// adversarial loss, by a head on the model's states; "guide" is the word CNN of [guide], which
	// stands still, on words drawn at the masks. lambda_rec_inv, reading, disc_inv_weight,
	// head_layers and include_cls are of "head" alone.
	Judge Judge `json:"judge" default:"head"`
	// LambdaSta is the weight of the style term; it is 1 in the paper.
	LambdaSta float64 `json:"lambda_sta" default:"1" must:"0 or more"`
	// LambdaRec is the weight of same-style reconstruction; 0 is the paper's text, with which
	// outputs collapse to one word.
	LambdaRec float64 `json:"lambda_rec" default:"10" authors:"0" must:"0 or more"`
	// LambdaRecInv is the weight of reconstructing the source while another style is asked for.
	// The authors' code has it; their value is unknown, and 1 is ours.
	LambdaRecInv float64 `json:"lambda_rec_inv" authors:"1" must:"0 or more"`
	// Reading says what the head learns: with "algorithm" L_cls alone (the paper's Algorithm 1);
	// with "minmax" also to deny transferred sentences their style (the paper's printed L_FT);
	// "authors" is the same with the weight disc_inv_weight.
	Reading Reading `json:"reading,omitempty" default:"algorithm" authors:"authors"`
	// DiscInvWeight is the weight of reading "authors"; it is 0.1 in the authors' code.
	DiscInvWeight float64 `json:"disc_inv_weight" default:"0.1" must:"0 or more"`
	// HeadLayers is the number of linear layers of the style head; it is 2 in the authors' code.
	HeadLayers int `json:"head_layers" default:"1" authors:"2" must:"1 or 2"`
	// IncludeCls has the head average the cls token's state too; it needs smlm.cls_token.
	IncludeCls bool `json:"include_cls" authors:"true"`
	// MaxSteps is the number of steps after which training stops; with 0 epochs are whole.
	MaxSteps int `json:"max_steps" must:"0 or more"`
	// LambdaKL is the weight of KL(q || q before) at the masks, another style asked for; it is of
	// judge "guide" alone.
	LambdaKL float64 `json:"lambda_kl,omitempty" default:"1" must:"0 or more"`
	// Temperature is that of the words' relaxation, through which gradients go; it is of judge
	// "guide" alone.
	Temperature float64 `json:"temperature,omitempty" default:"1" must:"above 0"`
}

// Judge is what tells a model that is fine-tuned whether its outputs have the style asked for.
type Judge string

// The judges; "" is Head.
const (
	Head  Judge = "head"  // the paper's: a linear layer over the model's own states, trained against it
	Guide Judge = "guide" // the word CNN of [guide], over the words that the model writes
)

// Choices lists the values that a file may give.
func (Judge) Choices() []string { return Choices(Head, Guide) }

// Reading says what the head of fine-tuning learns beside L_cls. The paper can be read in two ways,
// and the authors' code is a third (docs/decisions/017-two-readings.md).
type Reading string

// The readings; "" is Algorithm.
const (
	Algorithm   Reading = "algorithm" // nothing: the paper's Algorithm 1
	MinMax      Reading = "minmax"    // to deny transferred sentences their style: the paper's printed L_FT
	AuthorsCode Reading = "authors"   // the same, but with a weight: the published code
)

// Choices lists the values that a file may give.
func (Reading) Choices() []string { return Choices(Algorithm, MinMax, AuthorsCode) }

// Weight is that of the term of L_FT in the head's loss, of which own is the weight of AuthorsCode.
func (r Reading) Weight(own float64) float64 {
	switch r {
	case MinMax:
		return 1
	case AuthorsCode:
		return own
	default:
		return 0
	}
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
