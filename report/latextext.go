package report

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// latexSpecial is every character that means something to LaTeX, or prints as something else in one of its font
// encodings: "<" is an inverted exclamation mark in OT1, "--" would become a dash.
var latexSpecial = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '&': "\\&", '%': "\\%", '$': "\\$", '#': "\\#", '_': "\\_",
	'~': "\\textasciitilde{}", '^': "\\textasciicircum{}", '<': "\\textless{}", '>': "\\textgreater{}",
	'|': "\\textbar{}", '"': "\\char34{}", '\'': "\\textquotesingle{}", '`': "\\textasciigrave{}",
	'\u00a0': "~", '†': "$^\\dagger$", '‡': "$^\\ddagger$", '\u2212': "$-$", '\ufffd': "?",
}

// A word longer than this has places to break put into it, so that no cell overflows.
const latexLongWord = 18

// latexBreaks are the characters behind which a long word may be broken best: a signature is many words without a space.
const latexBreaks = "|,/+:_-"

// latexText makes s stand for itself in LaTeX text. Other characters beyond ASCII pass as UTF-8.
func latexText(s string) string {
	var b strings.Builder
	var before rune
	for _, word := range strings.SplitAfter(s, " ") {
		long := utf8.RuneCountInString(word) > latexLongWord
		since := 0 // characters since the last place to break
		for i, r := range word {
			if long && since > 0 && (strings.ContainsRune(latexBreaks, before) || since%8 == 0 && longRun(word[i:], since)) {
				b.WriteString("\\allowbreak{}")
				if strings.ContainsRune(latexBreaks, before) {
					since = 0
				}
			}
			if r == '-' && before == '-' {
				b.WriteString("{}")
			}
			if text, special := latexSpecial[r]; special {
				b.WriteString(text)
			} else {
				b.WriteRune(r)
			}
			before = r
			since++
		}
	}
	return b.String()
}

// longRun says whether the run of characters without a good place to break, of which so many are past, is a long one.
func longRun(rest string, past int) bool {
	if i := strings.IndexAny(rest, latexBreaks); i >= 0 {
		rest = rest[:i+1]
	}
	return past+utf8.RuneCountInString(rest) > latexLongWord
}

// latexPreamble appends the head of a complete document. Characters that pdflatex has no letter for (it knows Latin and some
// punctuation) are declared to print as their code, so that a corpus in any script still compiles.
func latexPreamble(b *strings.Builder, tables []*Table) {
	b.WriteString(`\documentclass[10pt,a4paper]{article}
\usepackage[margin=2cm]{geometry}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage{textcomp}
\usepackage{booktabs,array,graphicx}
\IfFileExists{pdflscape.sty}{\usepackage{pdflscape}}{\usepackage{lscape}}
\renewcommand{\floatpagefraction}{0.99}
\renewcommand{\topfraction}{0.99}
\extrafloats{500}
\maxdeadcycles=1000
`)
	for _, r := range unknownRunes(tables) {
		fmt.Fprintf(b, "\\DeclareUnicodeCharacter{%04X}{{\\scriptsize[U+%04X]}}\n", r, r)
	}
	b.WriteString("\\begin{document}\n")
}

// unknownRunes returns, in order, the characters of the tables that pdflatex cannot be trusted to print.
func unknownRunes(tables []*Table) []rune {
	set := map[rune]bool{}
	add := func(s string) {
		for _, r := range clean(s) {
			known := r < 0x180 || strings.ContainsRune("–—‘’“”…•€™", r)
			if _, special := latexSpecial[r]; !known && !special {
				set[r] = true
			}
		}
	}
	for _, t := range tables {
		add(t.Title)
		for _, c := range t.Columns {
			add(c.Head)
		}
		for _, n := range t.Notes {
			add(n)
		}
		for _, r := range t.Rows {
			for _, c := range r.Cells {
				add(c.Text)
			}
		}
	}
	runes := make([]rune, 0, len(set))
	for r := range set {
		runes = append(runes, r)
	}
	sort.Slice(runes, func(i, j int) bool { return runes[i] < runes[j] })
	return runes
}
