package recipe

import (
	"fmt"
	"strings"
)

// Guided configures guided outputs. docs/guided.md has the formulas.
type Guided struct {
	// Style is the weight of the guide's log-odds of the target style. Higher: more style, more
	// changed words.
	Style float64 `json:"style" default:"1.2" must:"0 or more"`
	// Fluency is the weight of the log-probability by an n-gram model.
	Fluency float64 `json:"fluency" default:"0.075" must:"from 0 to 1"`
	// Phrases also replaces phrases by their counterparts in texts of the target style.
	Phrases bool `json:"phrases" default:"true"`
}

// Axes returns the settings with their keys.
func (g Guided) Axes() []Axis {
	return []Axis{
		{"style", fmt.Sprint(g.Style)},
		{"fluency", fmt.Sprint(g.Fluency)},
		{"phrases", fmt.Sprint(g.Phrases)},
	}
}

// String lists the settings with their keys.
func (g Guided) String() string { return strings.Join(AxisWords(g.Axes()), ", ") }
