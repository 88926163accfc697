package recipe

import (
	"fmt"
	"strings"
)

// Guided is how masks are refilled in the outputs that smlm.decoding calls "guided". With all off
// it is the likeliest word at every mask at once, which is what "copied" is. SMLM-G searches whole
// sentences, and knows only fluency, no_repeats, candidates, guide_weight, more_masks, doubt and
// restore.
type Guided struct {
	// Gamma is weight of the contrast log q(w | asked) - log q(w | own style) beside log q(w |
	// asked); 0 = none
	Gamma float64 `json:"gamma" must:"0 or more"`
	// Plausible is words of less than this share of the likeliest word's probability are not
	// chosen
	Plausible float64 `json:"plausible" must:"above 0 and at most 1"`
	// Price is how much of log p(w) is taken off, p(w) being the share of w among the masked
	// training words of the style asked for: a price on frequent words, 0 = none
	Price float64 `json:"price" must:"0 or more"`
	// Fluency is weight of log p of the words around by an n-gram model of the training text, which
	// is not the language model of the perplexity; 0 = none
	Fluency float64 `json:"fluency" must:"0 or more"`
	// NoRepeats is no word is chosen beside itself
	NoRepeats bool `json:"no_repeats"`
	// Order is "at_once": all masks in one pass; "confident": one a pass, the surest first
	Order Order `json:"order"`
	// Candidates is how many fillings of a sentence are tried, the first the likeliest, the others
	// drawn; of SMLM-G the outputs of a beam so wide, or of decoder.beam
	Candidates int `json:"candidates" must:"from 1 to 1000"`
	// Temperature of the draws
	Temperature float64 `json:"temperature,omitempty" must:"above 0"`
	// GuideWeight is weight of the guide's log p(asked | output) beside log q of the words when a
	// candidate is chosen
	GuideWeight float64 `json:"guide_weight,omitempty" must:"0 or more"`
	// MoreMasks is how many words a sentence may lose beside those masked, where the guide still
	// doubts; never more than half a sentence in all
	MoreMasks int `json:"more_masks" must:"from 0 to 1000"`
	// Doubt is the guide's p(asked | output) below which more words are masked
	Doubt float64 `json:"doubt,omitempty" must:"above 0 and at most 1"`
	// Restore is source words return to their places while the guide's p(asked | output) is this or
	// more or, where it was less already, no less than before, the most fluent first; 0 = never
	Restore float64 `json:"restore" must:"at least 0 and below 1"`
	// Revise is every word that was chosen is chosen once more with all others known, where the
	// guide lets it; then source words return as before
	Revise bool `json:"revise,omitempty"`
	// ReviseGamma is gamma of that choice
	ReviseGamma float64 `json:"revise_gamma,omitempty" must:"0 or more"`
}

// GuidedDefault is [guided] where a file says nothing of it, chosen on dev outputs of Yelp
// (docs/decisions/016).
var GuidedDefault = Guided{
	Gamma: 11, Plausible: 0.02, Price: 2, Fluency: 4.5, NoRepeats: true, Order: Confident,
	Candidates: 1, Temperature: 1, GuideWeight: 3,
	MoreMasks: 3, Doubt: 0.9, Restore: 0.93, Revise: true, ReviseGamma: 5,
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
	return g
}

// Searched returns the settings that act on a model which searches whole sentences with a beam so
// wide: its candidates are what the beam ends with, and there is no fill to choose.
func (g Guided) Searched(beam int) Guided {
	s := Guided{
		Candidates: beam, GuideWeight: g.GuideWeight, MoreMasks: g.MoreMasks, Doubt: g.Doubt, Restore: g.Restore,
		NoRepeats: g.NoRepeats,
	}
	if beam > 1 || g.Restore > 0 { // it is of outputs, and says which source word returns first
		s.Fluency = g.Fluency
	}
	return s.Needed()
}

// AsksGuide tells whether a guide is read.
func (g Guided) AsksGuide() bool {
	return g.Restore > 0 || g.MoreMasks > 0 || g.Revise || g.Candidates > 1 && g.GuideWeight > 0
}

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
		{"more_masks", float64(g.MoreMasks)},
		{"doubt", g.Doubt},
		{"restore", g.Restore},
	} {
		if n.value > 0 {
			parts = append(parts, fmt.Sprintf("%s %g", n.key, n.value))
		}
	}
	if g.Candidates > 1 {
		parts = append(parts, fmt.Sprintf("candidates %d", g.Candidates))
	}
	if g.Revise {
		parts = append(parts, fmt.Sprintf("revise, revise_gamma %g", g.ReviseGamma))
	}
	if g.NoRepeats {
		parts = append(parts, "no_repeats")
	}
	return strings.Join(parts, ", ")
}
