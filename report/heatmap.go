package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// HeatmapFormats lists the formats that HeatmapWriter can write: text for a terminal, JSON, and
// LaTeX with coloured boxes.
var HeatmapFormats = []string{"text", "json", "latex"}

// Heatmap holds the words of one sentence and, for several attribution methods, the scores of the
// words and which of them are masked.
type Heatmap struct {
	Words []string
	// Style is the style that the scores explain. Probability is p(Style), from 0 to 1, according
	// to the model of the first method.
	Style       string
	Probability float64
	Methods     []HeatmapMethod
}

// HeatmapMethod holds one method's score of each word, and which words its policy masks.
type HeatmapMethod struct {
	Name      string
	Policy    string    // how words are chosen: "lambda_eps 0.15"
	Rule      string    // which words of this sentence are masked, as policy.Policy.Rule says it
	Threshold float64   // lowest score that is masked: (1 + lambda_eps) / n, for n words; 0 means no threshold
	Scores    []float64 // one per word; negative if the word is never masked
	Masked    []bool
}

// HeatmapWriter returns a function that writes one heat map to w, in one of HeatmapFormats. Each
// method of the heat map must have one score and one mask per word. If bars is set, a bar is drawn
// next to each score. Only the format "text" supports bars.
func HeatmapWriter(w io.Writer, format string, bars bool) (write func(*Heatmap) error, err error) {
	switch format {
	case "text":
		return func(h *Heatmap) error { return h.text(w, bars) }, nil
	case "json":
		return func(h *Heatmap) error { return h.json(w) }, nil
	case "latex":
		return latexWriter(w), nil
	}
	return nil, fmt.Errorf("heat map: unknown format %q", format)
}

// title returns the name of the attribution method with spaces: "explainable attention".
func (m *HeatmapMethod) title() string { return strings.ReplaceAll(m.Name, "_", " ") }

// shares returns each score divided by the largest one. A share is from 0 to 1, and 0 for a
// negative score.
func (m *HeatmapMethod) shares() []float64 {
	highest := 0.0
	for _, v := range m.Scores {
		highest = max(highest, v)
	}
	out := make([]float64, len(m.Scores))
	for i, v := range m.Scores {
		if highest > 0 {
			out[i] = max(0, v) / highest
		}
	}
	return out
}

// The method about returns the style and its probability: "cheerful (p = 0.98)".
func (h *Heatmap) about() string {
	return fmt.Sprintf("%s (p = %s)", h.Style, strconv.FormatFloat(h.Probability, 'f', 2, 64))
}

// barWidth is the length, in characters, of the bar for the largest score.
const barWidth = 10

// text writes a heat map with one line per word. For each method, the line has the word's score,
// the score's difference from the threshold, a bar, and whether the word is masked.
func (h *Heatmap) text(w io.Writer, bars bool) error {
	rows := make([][]string, len(h.Words)+2)
	rows[0], rows[1] = []string{""}, []string{""}
	for i, word := range h.Words {
		rows[i+2] = []string{word}
	}
	for _, m := range h.Methods {
		rows[0] = append(rows[0], m.title())
		rows[1] = append(rows[1], m.Rule)
		shares := m.shares()
		for i := range h.Words {
			rows[i+2] = append(rows[i+2], m.cell(i, shares[i], bars))
		}
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			widths[c] = max(widths[c], text.StringWidthWithoutEscSequences(cell))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", h.about(), strings.Join(h.Words, " "))
	for _, row := range rows {
		line := ""
		for c, cell := range row {
			line += text.Pad(cell, widths[c]+2, ' ')
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// neverMasked is shown instead of the score of a word that is never masked.
const neverMasked = "never masked"

// cell returns the text for word i. share is the word's score divided by the largest score.
func (m *HeatmapMethod) cell(i int, share float64, bars bool) string {
	if m.Scores[i] < 0 {
		return neverMasked
	}
	cell := fmt.Sprintf("%.3f", m.Scores[i])
	if m.Threshold > 0 {
		cell += fmt.Sprintf(" %+.3f", m.Scores[i]-m.Threshold)
	}
	if bars {
		cell += " " + text.Pad(bar(share), barWidth, ' ')
	}
	if m.Masked[i] {
		cell += " masked"
	}
	return cell
}

// bar returns a bar whose length is share times barWidth, rounded to an eighth of a character.
func bar(share float64) string {
	eighths := int(share*barWidth*8 + .5)
	out := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		out += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	return out
}

type jsonHeatmap struct {
	Words       []string     `json:"words"`
	Style       string       `json:"style"`
	Probability float64      `json:"probability"` // p(Style) according to the model of the first method
	Methods     []jsonMethod `json:"methods"`
}

type jsonMethod struct {
	Method    string    `json:"method"`
	Policy    string    `json:"policy"`
	Threshold *float64  `json:"threshold"` // null if there is no threshold
	Scores    []float64 `json:"scores"`
	Margins   []float64 `json:"margins,omitempty"` // score - threshold
	Masked    []bool    `json:"masked"`
}

// json writes the heat map as one JSON object on one line.
func (h *Heatmap) json(w io.Writer) error {
	out := jsonHeatmap{Words: h.Words, Style: h.Style, Probability: h.Probability}
	for _, m := range h.Methods {
		j := jsonMethod{Method: m.Name, Policy: m.Policy, Scores: m.Scores, Masked: m.Masked}
		if m.Threshold > 0 {
			j.Threshold = &m.Threshold
			for _, v := range m.Scores {
				j.Margins = append(j.Margins, v-m.Threshold)
			}
		}
		out.Methods = append(out.Methods, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// latexHead defines the colour and says which package the fragment needs. Each word gets its own
// \colorbox, because LaTeX cannot break a line inside a box.
var latexHead = "% Needs \\usepackage{xcolor}. The fuller the colour the higher the score; " +
	"underlined words are masked.\n" +
	"\\definecolor{heat}{HTML}{" + palette.HeatHex() + "}\n"

// The constant fullest is the amount of colour, in percent, in the box of the word with the highest
// score. Black text on this colour is still readable.
const fullest = 60

// latexWriter returns a function that writes a heat map with one paragraph per method.
func latexWriter(w io.Writer) func(*Heatmap) error {
	head := latexHead
	return func(h *Heatmap) error {
		var b strings.Builder
		fmt.Fprintf(&b, "{\\setlength{\\fboxsep}{1pt}\\raggedright\\noindent\\textit{%s}\\par\n",
			table.LaTeXText(h.about()))
		for _, m := range h.Methods {
			fmt.Fprintf(&b, "\\noindent\\textsf{%s, %s:}", table.LaTeXText(m.title()), table.LaTeXText(m.Rule))
			shares := m.shares()
			for i, word := range h.Words {
				text := table.LaTeXText(word)
				if m.Masked[i] {
					text = "\\underline{" + text + "}"
				}
				fmt.Fprintf(&b, "\n\\colorbox{heat!%.0f}{\\strut %s}", fullest*shares[i], text)
			}
			b.WriteString("\\par\n")
		}
		b.WriteString("}\\medskip\n")
		_, err := io.WriteString(w, table.LaTeXScripts(b.String())+head+b.String())
		head = ""
		return err
	}
}
