package recipe

// Objective says which positions a reconstruction loss counts, and how it adds them up. The zero
// value is the paper's L_BS: the mean over all words.
type Objective struct {
	// Loss is counts "all" words (the paper's equation), only "masked" ones, or "positions":
	// control codes too (the authors' code)
	Loss Loss `json:"loss"`
	// Reduction is of the loss: "word" averages over all that is counted; "sentence" sums over a
	// sentence (the authors' code)
	Reduction LossReduction `json:"reduction"`
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
	// anew each epoch; the paper: 0
	Reveal float64 `json:"reveal,omitempty" must:"from 0 to 1"`
	// RandomMasks is the share of the other words of training sentences that are masked too, drawn
	// anew each epoch; the paper: 0
	RandomMasks float64 `json:"random_masks,omitempty" must:"at least 0 and below 1"`
}

// Finetune says what fine-tuning minimises, and for how long.
type Finetune struct {
	// Judge is "head": the paper's adversarial loss, by a head on the model's states; "guide": by
	// the word CNN of [guide], which stands still, on words drawn at the masks; lambda_rec_inv,
	// reading, disc_inv_weight, head_layers and include_cls are of "head" alone
	Judge     Judge   `json:"judge,omitempty"`
	LambdaSta float64 `json:"lambda_sta" must:"0 or more"` // weight of the style term; the paper: 1
	// LambdaRec is weight of same-style reconstruction; 0 = the paper's text, which collapses to
	// one word
	LambdaRec float64 `json:"lambda_rec" must:"0 or more"`
	// LambdaRecInv is weight of reconstructing the source while the other style is asked for (the
	// authors' code; their value is unknown)
	LambdaRecInv float64 `json:"lambda_rec_inv" must:"0 or more"`
	// Reading is "algorithm": the head learns L_cls alone (the paper's Algorithm 1); "minmax": also
	// to deny transferred sentences their style (the paper's printed L_FT); "authors": the same
	// with the weight disc_inv_weight
	Reading Reading `json:"reading,omitempty"`
	// DiscInvWeight is of reading "authors" alone; 0.1 in the authors' code
	DiscInvWeight float64 `json:"disc_inv_weight" must:"0 or more"`
	HeadLayers    int     `json:"head_layers" must:"1 or 2"` // linear layers of the style head; 2 in the authors' code
	// IncludeCls is the head averages the cls token's state too; needs smlm.cls_token
	IncludeCls bool `json:"include_cls"`
	MaxSteps   int  `json:"max_steps" must:"0 or more"` // stop after this many steps, 0 = whole epochs
	// LambdaKL is weight of KL(q || q before) at the masks, the other style asked for; with judge
	// "guide" alone
	LambdaKL float64 `json:"lambda_kl,omitempty" must:"0 or more"`
	// Temperature of the words' relaxation, through which gradients go; with judge "guide" alone
	Temperature float64 `json:"temperature,omitempty" must:"above 0"`
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
