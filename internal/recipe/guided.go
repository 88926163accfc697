package recipe

import (
	"fmt"
	"strings"
)

// Guided says how masks are refilled in outputs of the decoding "guided". The defaults were chosen
// on dev outputs of Yelp (docs/decisions/016, 035, 039). With all off it is the likeliest word at
// every mask at once, which is what the decoding "copied" is. SMLM-G searches whole sentences, and
// knows only fluency, no_repeats, candidates, guide_weight, mixed_weight, evidence, more_masks,
// doubt, restore and insist.
type Guided struct {
	// Gamma is the weight of the contrast log q(w | asked) - log q(w | own style) beside
	// log q(w | asked); 0 is no contrast.
	Gamma float64 `json:"gamma" default:"11" must:"0 or more"`
	// Plausible is the share of the likeliest word's probability that a word must have to be
	// chosen.
	Plausible float64 `json:"plausible" default:"0.02" must:"above 0 and at most 1"`
	// Price is a price on frequent words: how much of log p(w) is taken off, where p(w) is the
	// share of w among the masked training words of the style asked for; 0 is no price.
	Price float64 `json:"price" default:"2" must:"0 or more"`
	// Fluency is the weight of log p of the words around, by an n-gram model of the training text,
	// which is not the language model of the perplexity; 0 is no such model.
	Fluency float64 `json:"fluency" default:"4.5" must:"0 or more"`
	// NoRepeats keeps a word from being chosen, or restored, beside itself.
	NoRepeats bool `json:"no_repeats" default:"true"`
	// Order says how masks are filled: "at_once" fills all in one pass, "confident" one a pass, the
	// surest first.
	Order Order `json:"order" default:"confident"`
	// Candidates is the number of fillings of a sentence that are tried: the likeliest, and others
	// that are drawn. Of SMLM-G they are the outputs of a beam so wide, or of decoder.beam where
	// that is wider.
	Candidates int `json:"candidates" default:"1" must:"from 1 to 1000"`
	// Temperature is the one at which candidates are drawn.
	Temperature float64 `json:"temperature,omitempty" default:"1" must:"above 0"`
	// GuideWeight is the weight of the guide's log p(asked | output) beside log q of the words when
	// a candidate is chosen.
	GuideWeight float64 `json:"guide_weight,omitempty" default:"3" must:"0 or more"`
	// Evidence is the least evidence of a masked word: by how much the guide's log p(own style) -
	// log p(asked) of the source falls where the word is hidden. Words of less are not masked, but
	// for the one of the most; 0 leaves all masks.
	Evidence float64 `json:"evidence,omitempty" default:"1" must:"0 or more"`
	// Contrast is the least contrast of a masked word: log q(w | own style) - log q(w | asked) of
	// the source's word, where it is masked and its neighbours are there. Words of less are not
	// masked, but for the one of the most; 0 leaves all masks.
	Contrast float64 `json:"contrast,omitempty" default:"0" must:"0 or more"`
	// MaskContrast is the least contrast of a word that is masked though attention did not mask it,
	// up to half a sentence; 0 leaves the masks of attention.
	MaskContrast float64 `json:"mask_contrast,omitempty" default:"0" must:"0 or more"`
	// Shorten deletes one word before masks are filled: of those without which the guide's log
	// p(own style) - log p(asked) falls by 1.5 or more, the one without which it falls most and the
	// other words go together best, by length_fit. So a negation may go. It wants n-grams.
	Shorten bool `json:"shorten,omitempty" default:"false"`
	// MoreMasks is the number of words that a sentence may lose beside those masked, where the
	// guide still doubts; never more than half a sentence is masked in all.
	MoreMasks int `json:"more_masks" default:"3" must:"from 0 to 1000"`
	// Doubt is the guide's p(asked | output) below which more words are masked.
	Doubt float64 `json:"doubt,omitempty" default:"0.95" must:"above 0 and at most 1"`
	// Restore is the guide's p(asked | output) down to which source words return to their places,
	// the most fluent first; where the guide was less sure before, they return as long as it is no
	// less sure than then. With 0 none returns.
	Restore float64 `json:"restore" default:"0.96" must:"at least 0 and below 1"`
	// RestoreContrast is the most contrast that a word of the source may have to return, the others
	// being what they became; 0 is no bound.
	RestoreContrast float64 `json:"restore_contrast,omitempty" default:"0" must:"0 or more"`
	// Insist is the guide's p(asked | output) of the styles and mixed texts below which a sentence
	// is written once more, with masks at all words that have evidence, up to half a sentence; the
	// output of the larger p stays. 0 leaves the first.
	Insist float64 `json:"insist,omitempty" default:"0" must:"from 0 to 1"`
	// MixedWeight is the weight of the guide's class of mixed texts, where guide.mixed is on,
	// beside the styles in that second writing. The guide is taught with far more mixed texts than
	// there are, so that it is small; with 0 a half flip is a flip there.
	MixedWeight float64 `json:"mixed_weight,omitempty" default:"0.03" must:"from 0 to 1"`
	// Length is added to the log odds of each word against an empty one where a mask may become
	// several words or none (smlm.slots): below 0 outputs are shorter, above 0 longer.
	Length float64 `json:"length,omitempty" default:"-2" must:"from -100 to 100"`
	// LengthGamma is the weight there of the contrast between the style asked for and the own one.
	LengthGamma float64 `json:"length_gamma,omitempty" default:"1" must:"0 or more"`
	// LengthFit is the weight there of how well the words of the sentence go together by the n-gram
	// model of fluency.
	LengthFit float64 `json:"length_fit,omitempty" default:"5" must:"0 or more"`
	// Revise has every word that was chosen chosen once more with all others known, where the guide
	// lets it; then source words return as before.
	Revise bool `json:"revise" default:"true"`
	// ReviseGamma is the gamma of that choice.
	ReviseGamma float64 `json:"revise_gamma,omitempty" default:"5" must:"0 or more"`
	// Ranked writes every sentence in four ways and keeps the output that a ranker finds best,
	// which learned from readers of dev sentences (docs/decisions/039-ranked.md). SMLM-G does not
	// know it.
	Ranked bool `json:"ranked,omitempty" default:"false"`
}

// Ways returns the settings of the ways in which sentences are written for the ranker. They were
// chosen by readings of Yelp's dev sentences (docs/decisions/039-ranked.md):
//   - as they are set,
//   - with masks on words of contrast, which flips more sentences whole,
//   - with no masks but those of attention on words of contrast, and words that are likely rather
//     than telling,
//   - as the second, but first a word is deleted.
func (g Guided) Ways() []Guided {
	g.Ranked = false
	whole := g
	whole.Evidence, whole.Contrast, whole.MaskContrast, whole.RestoreContrast = 0, 1.5, 2.5, 1
	calm := whole
	calm.MaskContrast = 0
	calm.Gamma, calm.Price = min(g.Gamma, 7), min(g.Price, 1)
	calm.Doubt, calm.Restore = min(g.Doubt, .93), min(g.Restore, .93)
	shorter := whole
	shorter.Shorten = true
	return []Guided{g, whole, calm, shorter}
}

// Order is in which order masks are filled.
type Order string

// The orders; "" is AtOnce.
const (
	AtOnce    Order = "at_once"
	Confident Order = "confident"
)

// Choices lists the values that a file may give.
func (Order) Choices() []string { return Choices(AtOnce, Confident) }

// Needed returns the settings with those at zero that nothing reads, as other settings are off.
func (g Guided) Needed() Guided {
	if g.Candidates == 1 {
		g.Temperature, g.GuideWeight = 0, 0
	}
	if g.MoreMasks == 0 {
		g.Doubt = 0
	}
	if !g.Revise {
		g.ReviseGamma = 0
	}
	if g.Insist == 0 {
		g.MixedWeight = 0
	}
	if g.Restore == 0 {
		g.RestoreContrast = 0
	}
	if g.Fluency == 0 && !g.Shortens() {
		g.LengthFit = 0
	}
	if g.Gamma == 0 || g.Revise && g.ReviseGamma == 0 { // or nobody asks what is thought in the own style
		g.LengthGamma = 0
	}
	return g
}

// Searched returns the settings that act on a model which searches whole sentences with a beam so
// wide: its candidates are what the beam ends with, and there is no fill to choose.
func (g Guided) Searched(beam int) Guided {
	s := Guided{
		Candidates: beam, GuideWeight: g.GuideWeight, MixedWeight: g.MixedWeight, Evidence: g.Evidence,
		MoreMasks: g.MoreMasks, Doubt: g.Doubt, Restore: g.Restore, Insist: g.Insist, NoRepeats: g.NoRepeats,
	}
	if beam > 1 || g.Restore > 0 { // it is of outputs, and says which source word returns first
		s.Fluency = g.Fluency
	}
	return s.Needed()
}

// AsksGuide tells whether a guide is read.
func (g Guided) AsksGuide() bool {
	return g.Restore > 0 || g.MoreMasks > 0 || g.Revise || g.Evidence > 0 || g.Insist > 0 || g.Shortens() ||
		g.Candidates > 1 && g.GuideWeight > 0
}

// AsksNGrams tells whether n-grams are read.
func (g Guided) AsksNGrams() bool { return g.Fluency > 0 || g.Shortens() }

// Shortens tells whether a word may be deleted before masks are filled, in one of the ways at
// least.
func (g Guided) Shortens() bool { return g.Shorten || g.Ranked }

// String lists the settings that act, as the keys of a file have them.
func (g Guided) String() string {
	g = g.Needed()
	var parts []string
	if g.Order != "" { // words are chosen mask by mask
		parts = append(parts, fmt.Sprintf("gamma %g, plausible %g, order %s", g.Gamma, g.Plausible, g.Order))
	}
	for _, n := range []struct {
		key   string
		value float64
	}{
		{"price", g.Price},
		{"fluency", g.Fluency},
		{"temperature", g.Temperature},
		{"guide_weight", g.GuideWeight},
		{"evidence", g.Evidence},
		{"contrast", g.Contrast},
		{"mask_contrast", g.MaskContrast},
		{"more_masks", float64(g.MoreMasks)},
		{"doubt", g.Doubt},
		{"restore", g.Restore},
		{"restore_contrast", g.RestoreContrast},
		{"insist", g.Insist},
		{"mixed_weight", g.MixedWeight},
		{"length", g.Length},
		{"length_gamma", g.LengthGamma},
		{"length_fit", g.LengthFit},
	} {
		if n.value != 0 {
			parts = append(parts, fmt.Sprintf("%s %g", n.key, n.value))
		}
	}
	if g.Candidates > 1 {
		parts = append(parts, fmt.Sprintf("candidates %d", g.Candidates))
	}
	if g.Revise {
		parts = append(parts, fmt.Sprintf("revise, revise_gamma %g", g.ReviseGamma))
	}
	if g.Shorten {
		parts = append(parts, "shorten")
	}
	if g.NoRepeats {
		parts = append(parts, "no_repeats")
	}
	if g.Ranked {
		parts = append(parts, "ranked")
	}
	return strings.Join(parts, ", ")
}
