package drawing

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The defaults of Size.
const (
	defaultWidth = 8.4
	defaultFont  = 8
)

// pen is what a sheet is drawn with: its letters and its measures.
type pen struct {
	letters *lettering
	width   vg.Length // of the figure
	font    vg.Length
}

func newPen(spell func(string) string, size Size) *pen {
	return &pen{
		letters: &lettering{text.Plain{Fonts: font.DefaultCache}, spell},
		width:   vg.Length(or(size.Width, defaultWidth)) * vg.Centimeter,
		font:    vg.Points(or(size.Font, defaultFont)),
	}
}

// or is x where that is positive.
func or(x, otherwise float64) float64 {
	if x > 0 {
		return x
	}
	return otherwise
}

// style is small text: everything but the titles of axes.
func (p *pen) style(x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: Ink, Font: font.From(sans, p.font-1), XAlign: x, YAlign: y, Handler: p.letters}
}

// lineHeight is the distance of lines of small text.
func (p *pen) lineHeight() vg.Length { return 1.25 * (p.font - 1) }

// fit cuts a line out of the middle of s, so that it is no wider than width.
func fit(sty text.Style, s string, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 1; n-- {
		head := (n + 1) / 2
		if short := string(runes[:head]) + "…" + string(runes[len(runes)-n+head:]); sty.Width(short) <= width {
			return short
		}
	}
	return "…"
}

// wrap breaks s into lines no wider than width: at spaces, and within a word that is wider. What
// needs more lines than most loses its middle.
func wrap(sty text.Style, s string, width vg.Length, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if with := strings.TrimSpace(line + " " + word); sty.Width(with) <= width {
			line = with
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
		for _, r := range word {
			if line != "" && sty.Width(line+string(r)) > width {
				lines = append(lines, line)
				line = ""
			}
			line += string(r)
		}
	}
	lines = append(lines, line)
	if len(lines) > most {
		last := len(lines) - 1
		lines = append(lines[:most-1], fit(sty, lines[most-1]+" … "+lines[last], width))
	}
	return lines
}
