package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// widest is the most columns of a line of aligned words.
const widest = 100

// explain writes an output and below it, aligned, the words of source and output and how those
// came about that were masked; then the candidates.
func (p printer) explain(text *corpus.Source, is stages.Rewritten) {
	if text == nil {
		_, _ = p.WriteString("\n")
		return
	}
	fmt.Fprintf(p, "%s", p.coloured("1", p.spelt(text, is.Output)))
	if is.Origins != nil && is.Origins.Guide > 0 {
		fmt.Fprintf(p, "   (%s by the guide: %.2f)", p.Line.To, is.Origins.Guide)
	}
	_, _ = p.WriteString("\n")
	if is.Origins == nil { // the model wrote every word
		fmt.Fprintf(p, "  source  %s\n  masked  %s\n", strings.Join(text.Words, " "), strings.Join(is.Masked, " "))
	} else {
		p.aligned(text.Words, is)
	}
	p.table(text, is.Candidates)
	_, _ = p.WriteString("\n")
}

// how says in a word or two where a word comes from, and how sure the model was of it, or the guide
// of a restored one; it says nothing of a word that was not masked.
func how(w stages.Word, unknown bool) string {
	switch {
	case w.Origin == guided.Restored:
		return fmt.Sprintf("restored %.2f", w.Guide)
	case w.Origin != guided.Kept:
		return fmt.Sprintf("%s %.2f", w.Origin, w.P)
	case unknown:
		return "unknown"
	}
	return ""
}

// aligned writes the words below each other, in as many blocks as the line needs.
func (p printer) aligned(source []string, is stages.Rewritten) {
	var rows [3]strings.Builder
	flush := func() {
		for i, name := range []string{"source", "output", ""} {
			if line := strings.TrimRight(rows[i].String(), " "); line != "" {
				fmt.Fprintf(p, "  %-6s  %s\n", name, line)
			}
			rows[i].Reset()
		}
	}
	used := 0
	for k, w := range is.Origins.Words {
		cells := [3]string{source[k], w.Word, how(w, is.Unknown[k])}
		width := 0
		for _, c := range cells {
			width = max(width, utf8.RuneCountInString(c))
		}
		if used += width + 2; used > widest {
			flush()
			used = width + 2
		}
		for i, c := range cells {
			gap := strings.Repeat(" ", width+2-utf8.RuneCountInString(c))
			if i == 1 && !w.OfSource() {
				c = p.coloured("1;32", c)
			}
			rows[i].WriteString(c + gap)
		}
	}
	flush()
}

// table writes candidates below each other; a star marks the one that transfer writes.
func (p printer) table(text *corpus.Source, all []stages.Candidate) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(p, "  %2s  %8s  %8s  %5s  %8s  %7s\n", "", "total", "log q", "guide", "fluency", "similar")
	for k, c := range all {
		star := " "
		if c.Written {
			star = "*"
		}
		numbers := fmt.Sprintf("%8.2f  %8.2f  %5s  %8s  %7.2f", c.Total, c.LogQ, orDash(c.Guide), orDash(c.Fluency), c.Similarity)
		fmt.Fprintf(p, "  %2d  %s  %s %s\n", k+1, numbers, star, p.spelt(text, c.Output))
	}
}

func orDash(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", x)
}

func (p printer) coloured(code, text string) string {
	if !p.Terminal {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
