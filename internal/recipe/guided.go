package recipe

import (
	"fmt"
	"strings"
)

// Guided configures guided outputs. docs/guided.md has the formulas.
type Guided struct {
	// Style is the weight of the guide's log odds of the style asked for. Higher: more style, more
	// changed words.
	Style float64 `json:"style" default:"0.25" must:"0 or more"`
	// Fluency is the weight of the log probability by [fluency], a word.
	Fluency float64 `json:"fluency" default:"0.75" must:"0 or more"`
	// Gamma is the weight of the contrast log q(w | asked) - log q(w | own) among the words that
	// SMLM proposes.
	Gamma float64 `json:"gamma" default:"5" must:"0 or more"`
	// Plausible is the least probability of a proposed word, as a share of the likeliest one's.
	Plausible float64 `json:"plausible" default:"0.02" must:"above 0 and at most 1"`
	// Evidence is the least evidence of a masked word: how much the guide's log odds of the
	// source's style fall if the word is hidden. Words with less lose their mask, but the one with
	// the most keeps it. 0: all masks stay.
	Evidence float64 `json:"evidence" default:"1" must:"0 or more"`
	// Phrases also replaces phrases by what texts of the other style have in their place.
	Phrases bool `json:"phrases" default:"true"`
	// Edits is the most edits of a sentence.
	Edits int `json:"edits" default:"12" must:"from 0 to 1000"`
}

// Axes lists the settings by their keys.
func (g Guided) Axes() []Axis {
	return []Axis{
		{"style", fmt.Sprint(g.Style)},
		{"fluency", fmt.Sprint(g.Fluency)},
		{"gamma", fmt.Sprint(g.Gamma)},
		{"plausible", fmt.Sprint(g.Plausible)},
		{"evidence", fmt.Sprint(g.Evidence)},
		{"phrases", fmt.Sprint(g.Phrases)},
		{"edits", fmt.Sprint(g.Edits)},
	}
}

// String lists the settings as the keys of a file have them.
func (g Guided) String() string { return strings.Join(AxisWords(g.Axes()), ", ") }
