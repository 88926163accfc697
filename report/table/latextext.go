package table

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// latexSpecial maps characters to their escapes if they have a meaning in LaTeX, or print as
// another character in one of its font encodings: "<" is an inverted exclamation mark in OT1.
var latexSpecial = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '&': "\\&", '%': "\\%", '$': "\\$", '#': "\\#", '_': "\\_",
	'~': "\\textasciitilde{}", '^': "\\textasciicircum{}", '<': "\\textless{}", '>': "\\textgreater{}",
	'|': "\\textbar{}", '"': "\\char34{}", '\'': "\\textquotesingle{}", '`': "\\textasciigrave{}",
	'\u00a0': "~", '\u00ad': "\\-", '†': "$^\\dagger$", '‡': "$^\\ddagger$", '\u2212': "$-$", '\ufffd': "?",
	'≤': "$\\leq$", '≥': "$\\geq$", 'λ': "$\\lambda$",
}

// Words longer than latexLongWord get places to break, so that no cell overflows.
const latexLongWord = 18

// latexBreaks are the best characters to break a long word after. A signature is many words without
// a space.
const latexBreaks = "|,/+:_-"

// latexLacks are the letters up to U+017F that pdflatex cannot print in OT1, its default font
// encoding, or cannot print in any. A fragment does not know the encoding of the document around
// it, and one such letter stops the run (tried with pdfTeX 3.14).
const latexLacks = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"

// latexPunctuation are the other characters that pdflatex prints.
const latexPunctuation = "–—‘’“”…•€™"

// latexHas reports whether pdflatex prints a character that has no meaning in LaTeX.
func latexHas(r rune) bool {
	return r < 0x80 || r >= 0xa1 && r < 0x180 && !strings.ContainsRune(latexLacks, r) ||
		strings.ContainsRune(latexPunctuation, r)
}

// latexSymbols matches names that have a symbol in the paper, with or without a table of the
// experiment file before them.
var latexSymbols = regexp.MustCompile(`\b(?:[a-z]+\.)?(lambda|Loss)_(con|eps|sta|rec)\b`)

// latexProse is LaTeXText for our own text. Quantities get the paper's symbols, and quotation marks
// and apostrophes are typographic.
func latexProse(s string) string {
	var b strings.Builder
	for {
		at := latexSymbols.FindStringSubmatchIndex(s)
		if at == nil {
			break
		}
		symbol, index := `\mathrm{Loss}`, `\mathrm{`+s[at[4]:at[5]]+`}`
		if s[at[2]:at[3]] == "lambda" {
			symbol = `\lambda`
		}
		if index == `\mathrm{eps}` {
			index = `\epsilon`
		}
		b.WriteString(latexText(s[:at[0]], true) + "$" + symbol + "_{" + index + "}$")
		s = s[at[1]:]
	}
	return b.String() + latexText(s, true)
}

// LaTeXText escapes s for LaTeX text. Characters beyond ASCII that pdflatex prints stay UTF-8.
// Others become their code, [U+6C64], so that text in any script compiles.
func LaTeXText(s string) string { return latexText(s, false) }

func latexText(s string, prose bool) string {
	var b strings.Builder
	var before rune
	for _, word := range strings.SplitAfter(s, " ") {
		long := utf8.RuneCountInString(word) > latexLongWord
		since := 0 // characters since the last place to break
		for i, r := range word {
			if long && since > 0 && (strings.ContainsRune(latexBreaks, before) ||
				since%8 == 0 && longRun(word[i:], since)) {
				b.WriteString("\\allowbreak{}")
				if strings.ContainsRune(latexBreaks, before) {
					since = 0
				}
			}
			if (r == '-' || r == ',') && before == r { // prevents a dash or a low quotation mark
				b.WriteString("{}")
			}
			text, special := latexSpecial[r]
			switch {
			case prose && r == '\'' && unicode.IsLetter(before):
				b.WriteRune(r)
			case prose && r == '"' && (before == 0 || before == ' ' || before == '('):
				b.WriteString("\\textquotedblleft{}")
			case prose && r == '"':
				b.WriteString("\\textquotedblright{}")
			case special:
				b.WriteString(text)
			case latexHas(r):
				b.WriteRune(r)
			default:
				if i > 0 { // codes are wide
					b.WriteString("\\allowbreak{}")
				}
				fmt.Fprintf(&b, "{\\scriptsize[U+%04X]}", r)
			}
			before = r
			since++
		}
	}
	return b.String()
}

// longRun reports whether a run of characters without a good place to break is longer than
// latexLongWord. past is the number of its characters so far, and rest is the text that follows.
func longRun(rest string, past int) bool {
	if i := strings.IndexAny(rest, latexBreaks); i >= 0 {
		rest = rest[:i+1]
	}
	return past+utf8.RuneCountInString(rest) > latexLongWord
}
