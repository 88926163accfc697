package drawing

import (
	"fmt"
	"regexp"
	"strings"
)

// darks are the colours of style.go, the ground first, and what they are where the reader's screen
// is dark: a page or a README shows a figure as a picture, which knows that of its reader and
// nothing of the page. The page of a study draws its figures in the same colours.
var darks = [...][2]string{
	{"#FFFFFF", "#16181b"},
	{"#000000", "#e6e8ea"},
	{"#E4E4E4", "#33383e"},
	{"#707070", "#a3abb3"},
	{"#9A9A9A", "#7d858d"},
	{"#0072B2", "#56a8e8"},
	{"#E69F00", "#f0b040"},
	{"#009E73", "#2fc79a"},
	{"#D55E00", "#f08040"},
	{"#CC79A7", "#e0a0c4"},
	{"#56B4E9", "#8cd2ff"},
}

// svgDark is the style of an SVG that says so. What has no colour of its own, as letters, is black.
var svgDark = func() []byte {
	var b strings.Builder
	b.WriteString("<style>@media (prefers-color-scheme: dark) {\n")
	fmt.Fprintf(&b, "svg { fill: %s }\n", darks[1][1])
	for _, d := range darks {
		for _, of := range []string{"fill", "stroke"} {
			fmt.Fprintf(&b, "[style*=\"%s:%s\"] { %s: %s !important }\n", of, d[0], of, d[1])
		}
	}
	b.WriteString("}</style>\n")
	return []byte(b.String())
}()

var svgTag = regexp.MustCompile(`<svg [^>]*>\n`)

// darkened puts svgDark behind the tag that an SVG begins with.
func darkened(svg []byte) []byte { return svgTag.ReplaceAll(svg, append([]byte("$0"), svgDark...)) }
