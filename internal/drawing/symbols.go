package drawing

import (
	"html/template"
	"regexp"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Within a label a subscript is written in letters of Unicode's private use area, each by a fixed
// distance above the letter that it stands for. A label can so be cut and wrapped anywhere.
const (
	below     = 0xE000
	belowLast = 0xF8FF
)

const (
	subscriptSize = 0.72           // of the font
	subscriptDrop = vg.Length(0.2) // of the font, below the base line
)

// subscript writes a text as a subscript.
func subscript(text string) string {
	return strings.Map(func(r rune) rune { return r + below }, text)
}

var lambdaKey = regexp.MustCompile(`\blambda_([a-z]+)( [0-9−-])?`)

// symbols calls f with each key of a weight, "eps" of "lambda_eps", and writes what it returns in
// place of the key. Before a value there is an equals sign.
func symbols(text string, f func(of string) string) string {
	return lambdaKey.ReplaceAllStringFunc(text, func(found string) string {
		parts := lambdaKey.FindStringSubmatch(found)
		value := ""
		if parts[2] != "" {
			value = " =" + parts[2]
		}
		return f(strings.Replace(parts[1], "eps", "ε", 1)) + value
	})
}

// Symbols writes the keys of weights in a label as the paper has them: lambda_eps as λ with the
// subscript ε, and "lambda_con 10" as λ with the subscript "con", "= 10".
func Symbols(label string) string {
	return symbols(label, func(of string) string { return "λ" + subscript(of) })
}

// PlainSymbols is Symbols where there are no subscripts: "λ_ε = 0.5".
func PlainSymbols(text string) string {
	return symbols(text, func(of string) string { return "λ_" + of })
}

// HTMLSymbols is Symbols for a page, where a subscript is an element. It escapes the text.
func HTMLSymbols(text string) template.HTML {
	escaped := symbols(template.HTMLEscapeString(text), func(of string) string { return "λ<sub>" + of + "</sub>" })
	return template.HTML(escaped) //nolint:gosec // what is not escaped are the elements
}

// run is a part of a line: letters on the base line, or below it.
type run struct {
	text  string
	below bool
}

// font is that of the run in a line of a font.
func (r run) font(f font.Font) font.Font {
	if r.below {
		f.Size *= subscriptSize
	}
	return f
}

// runsOf are the runs of a line.
func runsOf(line string) (runs []run) {
	for _, r := range line {
		is := r > below && r <= belowLast && unicode.IsPrint(r-below)
		if is {
			r -= below
		}
		if n := len(runs); n == 0 || runs[n-1].below != is {
			runs = append(runs, run{below: is})
		}
		runs[len(runs)-1].text += string(r)
	}
	return runs
}
