package recipe

import (
	"fmt"
	"strings"
)

// Guided configures how masks are refilled in guided outputs; experiment.GuidedSettings says what
// q, p, asked and own are.
type Guided struct {
	// Gamma is the weight of the contrast log q(w | asked) - log q(w | own), added to log q(w |
	// asked).
	Gamma float64 `json:"gamma" default:"11" must:"0 or more"`
	// Plausible is the least probability of a fill, as a share of the likeliest word's.
	Plausible float64 `json:"plausible" default:"0.02" must:"above 0 and at most 1"`
	// Price is the penalty on frequent words: this times the log share of w among the masked
	// training words of the style asked for.
	Price float64 `json:"price" default:"2" must:"0 or more"`
	// Fluency is the weight of the log probability of the surrounding words by [fluency].
	Fluency float64 `json:"fluency" default:"4.5" must:"0 or more"`
	// NoRepeats never chooses or restores a word beside itself.
	NoRepeats bool `json:"no_repeats" default:"true"`
	// NoPunctuation never writes a punctuation mark for a masked word. If it is off, the last word
	// of a sentence may become a full stop.
	NoPunctuation bool `json:"no_punctuation,omitempty" default:"false"`
	// Order is "at_once" (fills all masks in one pass) or "confident" (one mask in each pass, the
	// surest first).
	Order Order `json:"order" default:"confident"`
	// Candidates is the number of fillings that are tried: the likeliest, and others that are
	// drawn. For SMLM-G it is the beam width, unless decoder.beam is larger.
	Candidates int `json:"candidates" default:"1" must:"from 1 to 1000"`
	// GuideWeight is the weight of log p(asked), against log q of the words, in the choice of a
	// candidate.
	GuideWeight float64 `json:"guide_weight,omitempty" default:"3" must:"0 or more"`
	// Evidence is the least evidence of a masked word: the fall of log p(own) - log p(asked) of the
	// source when the word is hidden. Words with less are unmasked, except the one with the most.
	// 0: all masks stay.
	Evidence float64 `json:"evidence,omitempty" default:"1" must:"0 or more"`
	// Contrast works as evidence does, with the contrast of a masked word: log q(w | own) - log q(w
	// | asked) when it is masked, and every third word beside it.
	Contrast float64 `json:"contrast,omitempty" default:"0" must:"0 or more"`
	// MaskContrast is the contrast from which a word with evidence is masked too, up to half of a
	// sentence. 0: off.
	MaskContrast float64 `json:"mask_contrast,omitempty" default:"0" must:"0 or more"`
	// MoreMasks is the number of further words that may be masked while the guide doubts the
	// output, up to half of a sentence in all.
	MoreMasks int `json:"more_masks" default:"3" must:"from 0 to 1000"`
	// Doubt is the p(asked) below which the guide doubts an output.
	Doubt float64 `json:"doubt,omitempty" default:"0.95" must:"above 0 and at most 1"`
	// Restore is the least p(asked) of the output while source words return to their places, the
	// most fluent first. If it was lower before, it may not fall. 0: none returns.
	Restore float64 `json:"restore" default:"0.96" must:"at least 0 and below 1"`
	// RestoreContrast is the largest contrast of a source word that may return, given the new words
	// around it. 0: no limit.
	RestoreContrast float64 `json:"restore_contrast,omitempty" default:"0" must:"0 or more"`
	// Length is added to the log odds of each word against the empty word (smlm.slots). Below 0
	// outputs are shorter, above 0 longer.
	Length float64 `json:"length,omitempty" default:"-2" must:"from -100 to 100"`
	// LengthGamma is the weight, in that choice, of the contrast between asked and own style.
	LengthGamma float64 `json:"length_gamma,omitempty" default:"1" must:"0 or more"`
	// LengthFit is the weight, in that choice, of the fit of the words, by the n-grams of fluency.
	LengthFit float64 `json:"length_fit,omitempty" default:"5" must:"0 or more"`
	// Revise chooses every filled word again, with all others known, if the guide allows it. Then
	// source words may return again.
	Revise bool `json:"revise" default:"true"`
	// ReviseGamma is the value of gamma in that second choice.
	ReviseGamma float64 `json:"revise_gamma,omitempty" default:"5" must:"0 or more"`
	// Ranked writes every sentence in three ways and keeps the best by a ranker (decision 039).
	Ranked bool `json:"ranked,omitempty" default:"false"`
	// Rated writes in six ways, if ranked is on, and ranks by the ranker and [rater], which learns
	// from the data set's ratings (decision 041).
	Rated bool `json:"rated,omitempty" default:"false"`
}

// Ways returns the settings of the ways in which sentences are written for the ranker. They were
// chosen by readings of Yelp's dev sentences (docs/decisions/039-ranked.md):
//   - as they are set,
//   - with masks on words of contrast, which flips more sentences whole,
//   - with attention's masks on words of contrast, and words that are likely rather than telling.
//
// With Rated (docs/decisions/041-rater.md) there are three more:
//   - the third with still likelier words,
//   - the first with fewer changes,
//   - the second with less weight on the n-grams.
//
// With Revise, which chooses each word once more beside all others, all but the first fill all
// masks at once.
func (g Guided) Ways() []Guided {
	rated := g.Rated
	g.Ranked, g.Rated = false, false
	whole := g
	if g.Revise {
		whole.Order = ""
	}
	whole.Evidence, whole.Contrast, whole.MaskContrast, whole.RestoreContrast = 0, 1.5, 2.5, 1
	calm := whole
	calm.MaskContrast = 0
	calm.Gamma, calm.Price = min(g.Gamma, 7), min(g.Price, 1)
	calm.Doubt, calm.Restore = min(g.Doubt, .93), min(g.Restore, .93)
	if !rated {
		return []Guided{g, whole, calm}
	}
	likely, fewer, free := calm, g, whole
	likely.Gamma, likely.Price, likely.ReviseGamma = min(g.Gamma, 3), min(g.Price, .5), min(g.ReviseGamma, 2)
	fewer.Evidence, fewer.MoreMasks, fewer.Restore = max(g.Evidence, 2), 0, min(g.Restore, .6)
	free.Fluency, free.Price = min(g.Fluency, 1.5), min(g.Price, 1)
	return []Guided{g, whole, calm, likely, fewer, free}
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
		g.GuideWeight = 0
	}
	if g.MoreMasks == 0 {
		g.Doubt = 0
	}
	if !g.Revise {
		g.ReviseGamma = 0
	}
	if g.Restore == 0 {
		g.RestoreContrast = 0
	}
	if g.Fluency == 0 {
		g.LengthFit = 0
	}
	g.Rated = g.Rated && g.Ranked
	gamma := g.Gamma
	if g.Revise {
		gamma = g.ReviseGamma // lengths are chosen when words are revised
	}
	if gamma == 0 { // or nobody asks what is thought in the own style
		g.LengthGamma = 0
	}
	return g
}

// Searched returns the settings that act on a model which searches whole sentences with a beam so
// wide: its candidates are what the beam ends with, and there is no fill to choose.
func (g Guided) Searched(beam int) Guided {
	s := Guided{
		Candidates: beam, GuideWeight: g.GuideWeight, Evidence: g.Evidence,
		MoreMasks: g.MoreMasks, Doubt: g.Doubt, Restore: g.Restore, NoRepeats: g.NoRepeats,
	}
	if beam > 1 || g.Restore > 0 { // it is of outputs, and says which source word returns first
		s.Fluency = g.Fluency
	}
	return s.Needed()
}

// AsksGuide tells whether a guide is read.
func (g Guided) AsksGuide() bool {
	return g.Restore > 0 || g.MoreMasks > 0 || g.Revise || g.Evidence > 0 || g.Ranked ||
		g.Candidates > 1 && g.GuideWeight > 0
}

// AsksNGrams tells whether n-grams are read.
func (g Guided) AsksNGrams() bool { return g.Fluency > 0 || g.Ranked }

// String lists the settings that act, as the keys of a file have them.
func (g Guided) String() string { return strings.Join(AxisWords(g.Acting()), ", ") }

// Acting lists the settings that act, by their keys; one that is only on has no value.
func (g Guided) Acting() (settings []Axis) {
	g = g.Needed()
	type number struct {
		key   string
		value float64
	}
	add := func(n number) { settings = append(settings, Axis{n.key, fmt.Sprintf("%g", n.value)}) }
	on := func(key string, is bool) {
		if is {
			settings = append(settings, Axis{Key: key})
		}
	}
	if g.Order != "" { // words are chosen mask by mask
		add(number{"gamma", g.Gamma})
		add(number{"plausible", g.Plausible})
		settings = append(settings, Axis{"order", string(g.Order)})
	}
	for _, n := range []number{
		{"price", g.Price},
		{"fluency", g.Fluency},
		{"guide_weight", g.GuideWeight},
		{"evidence", g.Evidence},
		{"contrast", g.Contrast},
		{"mask_contrast", g.MaskContrast},
		{"more_masks", float64(g.MoreMasks)},
		{"doubt", g.Doubt},
		{"restore", g.Restore},
		{"restore_contrast", g.RestoreContrast},
		{"length", g.Length},
		{"length_gamma", g.LengthGamma},
		{"length_fit", g.LengthFit},
	} {
		if n.value != 0 {
			add(n)
		}
	}
	if g.Candidates > 1 {
		add(number{"candidates", float64(g.Candidates)})
	}
	if on("revise", g.Revise); g.Revise {
		add(number{"revise_gamma", g.ReviseGamma})
	}
	on("no_repeats", g.NoRepeats)
	on("no_punctuation", g.NoPunctuation)
	on("ranked", g.Ranked)
	on("rated", g.Rated)
	return settings
}
