package table

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// latexSpecial maps characters to LaTeX code. These characters have a meaning in LaTeX, or would
// print as another character in one of its font encodings. For example, "<" prints as an inverted
// exclamation mark in OT1.
var latexSpecial = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '&': "\\&", '%': "\\%", '$': "\\$", '#': "\\#", '_': "\\_",
	'~': "\\textasciitilde{}", '^': "\\textasciicircum{}", '<': "\\textless{}", '>': "\\textgreater{}",
	'|': "\\textbar{}", '"': "\\char34{}", '\'': "\\textquotesingle{}", '`': "\\textasciigrave{}",
	'\u00a0': "~", '\u00ad': "\\-", '†': "$^\\dagger$", '‡': "$^\\ddagger$", '\u2212': "$-$", '\ufffd': "?",
	'«': "$\\ll$", '»': "$\\gg$", '↑': "$\\uparrow$", '↓': "$\\downarrow$",
	'§': "\\textsuperscript{\\S}", '¶': "\\textsuperscript{\\P}", '‖': "$^\\Vert$", '≤': "$\\leq$", '≥': "$\\geq$",
	// These ligatures print in every font encoding, unlike the characters themselves.
	'–': "--", '—': "---", '‘': "`", '’': "'", '“': "``", '”': "''",
}

// In a word of more than latexLongWord characters, LaTeX may break the line after a character in
// latexBreaks, and after latexRun characters without one. Otherwise a long text without a space,
// such as a signature, would be wider than its cell.
const (
	latexLongWord = 18
	latexBreaks   = "|,/+:_-"
	latexRun      = 12
)

// latexLacks lists the letters up to U+017F that stop pdflatex in OT1, its default font encoding
// (tried with pdfTeX 3.14).
const latexLacks = "ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"

// latexPunctuation lists the characters above U+017F that pdflatex prints as they are.
const latexPunctuation = "…•€™"

// latexHas reports whether pdflatex can print a character. It assumes that latexSpecial does not
// contain the character.
func latexHas(r rune) bool {
	return r < 0x80 || r >= 0xa1 && r < 0x180 && !strings.ContainsRune(latexLacks, r) ||
		strings.ContainsRune(latexPunctuation, r)
}

// isLatexLetter reports whether r is part of a text in its script: a letter or digit, an accent
// on a letter, punctuation of a script other than Latin, such as 。 or ؟, or an invisible
// character that joins or separates two letters. before is the character in front of r.
func isLatexLetter(before, r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	ofAllScripts := r < '\u0370' || r >= '\u2000' && r <= '\u2e7f' // Latin and general punctuation
	return unicode.In(r, unicode.L, unicode.M, unicode.N) || unicode.Is(unicode.P, r) && !ofAllScripts ||
		(r == joiner || r == nonJoiner) && unicode.In(before, unicode.L, unicode.M)
}

// LaTeXText escapes s for use as text in LaTeX. Letters and punctuation of all scripts stay as
// they are, in Unicode form NFC. Other characters stay if pdflatex prints them. All others, such
// as emoji, are replaced by their code, such as [U+1F600]. The function LaTeXScripts says how to
// print letters that pdflatex cannot print by itself.
func LaTeXText(s string) string {
	words := strings.Split(norm.NFC.String(s), " ")
	for i, word := range words {
		words[i] = latexWord(word)
	}
	return strings.Join(words, " ")
}

func latexWord(word string) string {
	var b strings.Builder
	long := utf8.RuneCountInString(word) > latexLongWord
	before, run := ' ', 0 // the previous character, and the number of characters since the last break
	for _, r := range word {
		if long && (before != ' ' && strings.ContainsRune(latexBreaks, before) || run == latexRun) {
			b.WriteString("\\allowbreak{}")
			run = 0
		}
		escaped, special := latexSpecial[r]
		switch {
		case special:
			b.WriteString(escaped)
		case (r == '-' || r == ',') && before == r: // keep LaTeX from joining the two to a dash or a low quotation mark
			b.WriteString("{}" + string(r))
		case latexHas(r), isLatexLetter(before, r):
			b.WriteRune(r)
		default:
			if before != ' ' { // a code is wide, so allow a break before it
				b.WriteString("\\allowbreak{}")
			}
			fmt.Fprintf(&b, "{\\scriptsize[U+%04X]}", r)
		}
		before = r
		run++
	}
	return b.String()
}

// LaTeXScripts returns a LaTeX comment that says how to print those letters of text that pdflatex
// cannot print by itself. If there are none, it returns "".
func LaTeXScripts(text string) string {
	lacking := map[rune]bool{}
	for _, r := range text {
		if !latexHas(r) {
			lacking[r] = true
		}
	}
	scripts := map[string]bool{}
	for name, letters := range unicode.Scripts {
		for r := range lacking {
			if unicode.Is(letters, r) && name != "Common" && name != "Inherited" {
				scripts[name] = true
			}
		}
	}
	if len(scripts) == 0 {
		return ""
	}
	line := "% " + strings.Join(slices.Sorted(maps.Keys(scripts)), ", ") + " letters: use lualatex or xelatex, " +
		"\\usepackage{fontspec} and \\setmainfont{a font that has them}"
	if scripts["Cyrillic"] {
		line += "; with pdflatex, Cyrillic needs \\usepackage[T1,T2A]{fontenc}"
	}
	if scripts["Arabic"] || scripts["Hebrew"] {
		line += "; text from right to left needs lualatex and \\usepackage[bidi=basic]{babel}"
	}
	return line + "\n"
}

var (
	// latexQuantity matches the names of quantities for which the paper has a symbol. The name of a
	// section of the experiment file may come first, as in "masking.lambda_eps".
	latexQuantity = regexp.MustCompile(`\b(?:[a-z]+\.)?(lambda|Loss)_(con|eps|sta|rec)\b`)
	latexSymbol   = strings.NewReplacer("lambda", `\lambda`, "Loss", `\mathrm{Loss}`, "eps", `\epsilon`,
		"con", `\mathrm{con}`, "sta", `\mathrm{sta}`, "rec", `\mathrm{rec}`)

	openingQuote = regexp.MustCompile(`(^|[ (])"`)
	apostrophe   = regexp.MustCompile(`(\pL)'`)
)

// latexProse does the same as LaTeXText, but for text that we wrote. Names of quantities become the
// paper's symbols, and quotation marks and apostrophes become typographic.
func latexProse(s string) string {
	s = strings.ReplaceAll(openingQuote.ReplaceAllString(s, "$1“"), `"`, "”")
	s = apostrophe.ReplaceAllString(s, "$1’")
	var b strings.Builder
	end := 0
	for _, at := range latexQuantity.FindAllStringSubmatchIndex(s, -1) {
		symbol, index := latexSymbol.Replace(s[at[2]:at[3]]), latexSymbol.Replace(s[at[4]:at[5]])
		b.WriteString(LaTeXText(s[end:at[0]]) + "$" + symbol + "_{" + index + "}$")
		end = at[1]
	}
	return b.String() + LaTeXText(s[end:])
}
