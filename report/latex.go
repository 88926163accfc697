package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// latexHead says what the fragment needs. \colorbox keeps its text in one line, so that a box is a
// word, and lines break between them.
const latexHead = "% Needs \\usepackage{xcolor}. The fuller the colour the higher the score; underlined words are masked.\n"

// fullest is the share of colour behind the word of the highest score, in percent: black text can
// be read on it.
const fullest = 60

// latexWriter writes a paragraph a method.
func latexWriter(w io.Writer) func(*Sentence) error {
	head := latexHead
	return func(s *Sentence) error {
		var b strings.Builder
		b.WriteString(head)
		head = ""
		fmt.Fprintf(&b, "{\\setlength{\\fboxsep}{1pt}\\raggedright\\noindent\\textit{%s}\\par\n", table.LaTeXText(s.about()))
		for _, m := range s.Methods {
			title := m.title()
			if m.Threshold > 0 {
				title += fmt.Sprintf(", from %.3f on", m.Threshold)
			}
			fmt.Fprintf(&b, "\\noindent\\textsf{%s:}", table.LaTeXText(title))
			shares := m.shares()
			for i, word := range s.Words {
				text := table.LaTeXText(word)
				if m.Masked[i] {
					text = "\\underline{" + text + "}"
				}
				fmt.Fprintf(&b, "\n\\colorbox{orange!%.0f}{\\strut %s}", fullest*shares[i], text)
			}
			b.WriteString("\\par\n")
		}
		b.WriteString("}\\medskip\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
}
