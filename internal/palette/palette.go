// Package palette holds the colours of figures and pages.
package palette

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// colours lists all colours of figures and pages. Figures use the light variants. The colours from
// "blue" to the end are the palette of Okabe and Ito (2008), which colour-blind readers can
// distinguish. The yellow of that palette is left out because it is too weak on white paper.
var colours = []colour{
	{"ground", 0xFFFFFF, 0x16181B},
	{"ink", 0x000000, 0xE6E8EA},
	{"faint", 0xE4E4E4, 0x33383E},
	{"muted", 0x707070, 0xA3ABB3},
	{"pale", 0x9A9A9A, 0x7D858D},
	{"blue", 0x0072B2, 0x56A8E8},
	{"orange", 0xE69F00, 0xF0B040},
	{"green", 0x009E73, 0x2FC79A},
	{"red", 0xD55E00, 0xF08040},
	{"pink", 0xCC79A7, 0xE0A0C4},
	{"sky", 0x56B4E9, 0x8CD2FF},
}

type colour struct {
	name        string // name of the CSS custom property, without "--"
	light, dark uint32
}

// These are the colours of everything except the data series.
var (
	Ink   = named("ink")
	Pale  = named("pale")
	Muted = named("muted")
	Faint = named("faint") // colour of the grid lines
)

// series are the colours of the data series. Neighbours in this list can be told apart even when
// printed in grey.
var series = lists.Map([]string{"blue", "orange", "green", "red", "pink", "ink", "sky"}, named)

// Colour returns the colour of the i-th data series.
func Colour(i int) color.Color { return series[i%len(series)] }

// heat is the name of the colour behind a scored word. The higher the score, the more opaque the
// colour.
const heat = "red"

func named(name string) color.Color {
	for _, c := range colours {
		if c.name == name {
			return color.RGBA{R: uint8(c.light >> 16), G: uint8(c.light >> 8), B: uint8(c.light), A: 0xff}
		}
	}
	panic("there is no colour " + name)
}

// strongest is the opacity of the colour behind the word with the highest score. Black or white
// text is still readable on this colour.
const strongest = 0.6

// Heat returns the inline CSS style of a word: the opacity of the colour behind the word. The page
// must contain the rules that CSS returns. highest is the highest score in the sentence and must be
// above 0.
func Heat(score, highest float64) string {
	return fmt.Sprintf("--a:%.2f", strongest*max(0, score)/highest)
}

// HeatHex returns the colour behind scored words in LaTeX's notation: "D55E00".
func HeatHex() string {
	r, g, b, _ := named(heat).RGBA()
	return fmt.Sprintf("%02X%02X%02X", r>>8, g>>8, b>>8)
}

// CSS returns style rules, which a page puts before its own. They define every colour as a custom
// property such as "--blue", with other values in dark mode. They also define "--heat", the colour
// behind scored words, as three numbers for rgb().
func CSS() string {
	var light, dark strings.Builder
	for _, c := range colours {
		fmt.Fprintf(&light, " --%s: #%06X;", c.name, c.light)
		fmt.Fprintf(&dark, " --%s: #%06X;", c.name, c.dark)
	}
	r, g, b, _ := named(heat).RGBA()
	return fmt.Sprintf(":root {%s --heat: %d %d %d; }\n@media (prefers-color-scheme: dark) {\n:root {%s }\n}\n",
		light.String(), r>>8, g>>8, b>>8, dark.String())
}
