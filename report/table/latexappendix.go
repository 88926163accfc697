package table

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// latexAppendix appends what LaTeX leaves out from under the tables, once for all of them: the
// notes of each, those that several have, and the signatures. It is for \input behind \appendix.
func latexAppendix(b *strings.Builder, tables []*Table) {
	b.WriteString("% how the figures of the tables were computed: \\input this behind \\appendix\n" +
		"\\section*{How the figures of the tables were computed}\n\\label{app:tables}\n{\\small\\raggedright\n")
	shared := sharedBy(tables, func(t *Table) []string { return t.Notes })
	for _, t := range tables {
		own := lists.Where(t.Notes, func(n string) bool { return !slices.Contains(shared, n) })
		if len(own) > 0 {
			paragraph(b, LaTeXText(strings.TrimSuffix(Flat(t.Title), "."))+" (Table~\\ref{tab:"+t.Name+"}).", own)
		}
	}
	if len(shared) > 0 {
		paragraph(b, "All of these tables, or several.", shared)
	}
	var signatures []string
	for _, t := range tables {
		signatures = lists.AddOnce(signatures, t.Signatures...)
	}
	if len(signatures) > 0 {
		slices.Sort(signatures)
		paragraph(b, "Signatures: figures whose signatures differ must not be compared.", nil)
		for _, s := range signatures {
			name, text, _ := strings.Cut(s, ": ")
			b.WriteString("\\par\\hangindent1em\\textit{" + LaTeXText(name) + "}: " + LaTeXText(Flat(text)) + "\n")
		}
	}
	b.WriteString("\\par}\n")
}

// paragraph appends sentences under a head, which is LaTeX already.
func paragraph(b *strings.Builder, head string, sentences []string) {
	b.WriteString("\\par\\medskip\\noindent\\textbf{" + head + "}\n")
	for _, s := range sentences {
		b.WriteString(LaTeXText(Flat(s)) + "\n")
	}
}

// sharedBy lists what several tables say, in the order of its first appearance.
func sharedBy(tables []*Table, said func(*Table) []string) []string {
	of, order := map[string]int{}, []string(nil)
	for _, t := range tables {
		for _, n := range said(t) {
			if of[n]++; of[n] == 1 {
				order = append(order, n)
			}
		}
	}
	return slices.DeleteFunc(order, func(n string) bool { return of[n] == 1 })
}
