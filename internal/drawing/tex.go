package drawing

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// texSpecial is every character that means something to LaTeX or prints as something else in one of
// its font encodings. Package report has its own list for the text of tables; this one holds to
// what every LaTeX since 2020 knows without packages, as a figure has no preamble.
var texSpecial = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '&': "\\&", '%': "\\%", '$': "\\$", '#': "\\#", '_': "\\_",
	'~': "\\textasciitilde{}", '^': "\\textasciicircum{}",
	'<': "\\textless{}", '>': "\\textgreater{}", '|': "\\textbar{}",
	'"': "\\char34{}", '`': "\\textasciigrave{}", '\'': "\\textquotesingle{}", '-': "-{}",
	'…': "\\ldots{}", '\u2212': "$-$", '\u00a0': "~", '–': "\\textendash{}", '×': "$\\times$",
	'“': "\\textquotedblleft{}", '”': "\\textquotedblright{}", '’': "\\textquoteright{}", '‘': "\\textquoteleft{}",
	'≤': "$\\leq$", '≥': "$\\geq$", '→': "$\\rightarrow$", '±': "$\\pm$", '‡': "\\textdaggerdbl{}",
}

var texGreek = map[rune]string{
	'α': "\\alpha", 'β': "\\beta", 'γ': "\\gamma", 'δ': "\\delta", 'ε': "\\epsilon", 'η': "\\eta",
	'θ': "\\theta", 'κ': "\\kappa",
	'ζ': "\\zeta", 'ι': "\\iota", 'ν': "\\nu", 'ξ': "\\xi", 'υ': "\\upsilon",
	'ς': "\\varsigma", 'χ': "\\chi", 'ψ': "\\psi",
	'Γ': "\\Gamma", 'Δ': "\\Delta", 'Θ': "\\Theta", 'Λ': "\\Lambda", 'Ξ': "\\Xi", 'Π': "\\Pi",
	'Σ': "\\Sigma", 'Φ': "\\Phi", 'Ψ': "\\Psi", 'Ω': "\\Omega",
	'λ': "\\lambda", 'μ': "\\mu", 'π': "\\pi", 'ρ': "\\rho", 'σ': "\\sigma", 'τ': "\\tau", 'φ': "\\phi", 'ω': "\\omega",
}

// texLacks are the Latin letters that LaTeX's first font encoding, OT1, refuses (tried with pdfTeX
// 3.14).
const texLacks = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"

// texCodes replaces what pdflatex has no letter for by its code.
func texCodes(s string) string {
	return replaceLacking(s, func(r rune) bool {
		latin := r < 0x7f || r >= 0xa1 && r < 0x180 && !strings.ContainsRune(texLacks, r)
		return latin || texSpecial[r] != "" || texGreek[r] != ""
	})
}

// texText makes a label of which texCodes leaves nothing to replace stand for itself in LaTeX.
func texText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case texSpecial[r] != "":
			b.WriteString(texSpecial[r])
		case texGreek[r] != "":
			b.WriteString("$" + texGreek[r] + "$")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// setTeX writes a whole line for the picture to set, no wider than it was measured.
func setTeX(l *lettering, c vg.Canvas, f font.Face, at vg.Point, line string, align text.XAlignment) {
	side := map[text.XAlignment]string{text.XLeft: "l", text.XCenter: "c", text.XRight: "r"}[align]
	width, _, _ := l.Box(line, f.Font)
	c.FillString(f, at, "\\smlmfit{"+side+"}{"+pgfLength(width)+"}{"+texText(l.spell(line))+"}")
}
