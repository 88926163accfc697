package recipe

import (
	"fmt"
	"strings"
)

// Guided configures guided outputs. docs/guided.md has the formulas.
type Guided struct {
	// Style is the weight of the guide's opinion. Higher: more style, more changed words.
	Style float64 `json:"style" default:"1.2" must:"0 or more"`
	// Fluency is the weight of the log probability by n-grams.
	Fluency float64 `json:"fluency" default:"0.075" must:"0 or more"`
	// Phrases also replaces phrases by what texts of the other style have in their place.
	Phrases bool `json:"phrases" default:"true"`
}

// Axes lists the settings by their keys.
func (g Guided) Axes() []Axis {
	return []Axis{
		{"style", fmt.Sprint(g.Style)},
		{"fluency", fmt.Sprint(g.Fluency)},
		{"phrases", fmt.Sprint(g.Phrases)},
	}
}

// String lists the settings as the keys of a file have them.
func (g Guided) String() string { return strings.Join(AxisWords(g.Axes()), ", ") }
