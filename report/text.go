package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// barWidth is how many characters the bar of a sentence's largest score has.
const barWidth = 10

// text writes a line a word: the word, then by each method its score, how far it is from the
// threshold, a bar, and whether it is masked.
func (s *Sentence) text(w io.Writer, bars bool) error {
	rows := make([][]string, len(s.Words)+2)
	rows[0], rows[1] = []string{""}, []string{""}
	for i, word := range s.Words {
		rows[i+2] = []string{word}
	}
	for _, m := range s.Methods {
		rows[0] = append(rows[0], m.title())
		under := ""
		if m.Threshold > 0 {
			under = fmt.Sprintf("from %.3f on", m.Threshold)
		}
		rows[1] = append(rows[1], under)
		shares := m.shares()
		for i := range s.Words {
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
	fmt.Fprintf(&b, "%s: %s\n", s.about(), strings.Join(s.Words, " "))
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

// cell is what a line says of word i, whose score is a share of the largest.
func (m *Method) cell(i int, share float64, bars bool) string {
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

// bar is as long as share says, to an eighth of a character.
func bar(share float64) string {
	eighths := int(share*barWidth*8 + .5)
	out := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		out += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	return out
}
