package figure

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The defaults of Size.
const (
	defaultWidth = 8.4
	defaultFont  = 8
)

// pen is what a figure is drawn with: its letters and its measures.
type pen struct {
	letters *lettering
	width   vg.Length // of the figure
	panel   vg.Length // height of a panel; 0: the figure's default
	font    vg.Length
}

// newPen returns nil for an unknown format.
func newPen(format string, size Size) *pen {
	l := newLettering(format)
	if l == nil {
		return nil
	}
	or := func(x, otherwise float64) float64 {
		if x > 0 {
			return x
		}
		return otherwise
	}
	return &pen{
		letters: l,
		width:   vg.Length(or(size.Width, defaultWidth)) * vg.Centimeter,
		panel:   vg.Length(or(size.Panel, 0)) * vg.Centimeter,
		font:    vg.Points(or(size.Font, defaultFont)),
	}
}

// style is small text: everything but the titles of axes.
func (p *pen) style(x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: ink, Font: font.From(sans, p.font-1), XAlign: x, YAlign: y, Handler: p.letters}
}

// lineHeight is the distance of lines of small text.
func (p *pen) lineHeight() vg.Length { return 1.25 * (p.font - 1) }

// axes returns an empty panel, whose ranges and ticks the caller sets.
func (p *pen) axes(title, x, y string) *plot.Plot {
	plt := plot.New()
	plt.BackgroundColor = nil
	plt.TextHandler = p.letters
	if title != "" {
		plt.Add(heading{p, title})
	}
	for _, a := range []*plot.Axis{&plt.X, &plt.Y} {
		a.Label.TextStyle.Font = font.From(sans, p.font)
		a.Label.TextStyle.Handler = p.letters
		a.Label.Padding = 2
		a.Tick.Label.Font = font.From(sans, p.font-1)
		a.Tick.Label.Handler = p.letters
		a.Tick.Length = 3
		a.Padding = 0
	}
	plt.X.Label.Text, plt.Y.Label.Text = x, y
	return plt
}

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

// wrap breaks s into lines no wider than width: at spaces, and within a word that is wider. What needs more lines than most loses its middle.
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

// panelOr is the height of a panel, in cm where the user asked for none.
func (p *pen) panelOr(cm float64) vg.Length {
	if p.panel > 0 {
		return p.panel
	}
	return vg.Length(cm) * vg.Centimeter
}
