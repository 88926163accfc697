package figure

import (
	"bytes"
	"fmt"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// latexDir skips the test where pdflatex or pgf is missing.
func latexDir(t *testing.T) string {
	t.Helper()
	if err := exec.Command("kpsewhich", "pgf.sty").Run(); err != nil {
		t.Skip("needs pgf.sty (Debian: texlive-pictures), which LaTeX does not find")
	}
	if dir := os.Getenv("FIGURE_DIR"); dir != "" { // to look at the pages
		return dir
	}
	return t.TempDir()
}

// compile runs pdflatex on a two-column document with the pictures and fails on any error and on
// anything too wide.
func compile(t *testing.T, name, preamble string, pictures map[string]Figure) {
	t.Helper()
	dir := latexDir(t)
	var b strings.Builder
	b.WriteString(
		"\\documentclass[twocolumn]{article}\n\\usepackage[margin=1.5cm,columnsep=0.8cm]{geometry}\n" +
			preamble + "\\usepackage{pgf}\n\\begin{document}\n",
	)
	names := []string{}
	for n := range pictures {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		var picture bytes.Buffer
		if err := Write(&picture, pictures[n], "pgf"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, n+".pgf"), picture.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		columns := "\\twocolumn"
		if strings.Contains(picture.String(), "{\\pgfpoint{481.89bp}") { // 17 cm
			columns = "\\onecolumn"
		}
		fmt.Fprintf(&b, columns+"\\noindent\\input{%s.pgf}\\par\\verb|%s|\\clearpage\n", n, n)
	}
	b.WriteString("\\end{document}\n")
	testkit.PDFLaTeX(t, dir, name, []byte(b.String()), `LaTeX Font Warning`)
}

// Every figure compiles in LaTeX's first font encoding, and a few in the usual one.
func TestPGF(t *testing.T) {
	all := figures()
	delete(all, "lambdaeps-large") // wider than a column
	compile(t, "ot1", "", all)
	compile(
		t, "t1", "\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}\n",
		map[string]Figure{"lambdaeps-long": all["lambdaeps-long"], "masked": all["masked"]},
	)
}

// Names of every pair of characters that mean something to LaTeX, and of every letter that the
// escape lets through.
func TestPGFSpecials(t *testing.T) {
	const special = "\\{}&%$#_~^<>|\"'`-*[]!?,;:/@=+ a"
	f := LambdaEps{}
	for _, a := range special {
		row := ""
		for _, b := range special {
			row += string(a) + string(b)
		}
		f.Series = append(f.Series, EpsSeries{Name: row, Paper: paperPoints("Yelp")[:1]})
	}
	letters := LambdaEps{}
	for r := rune(0xa1); r < 0x3d0; r += 24 {
		row := ""
		for c := r; c < r+24; c++ {
			row += string(c)
		}
		letters.Series = append(letters.Series, EpsSeries{Name: row + "…−–×“”’‘≤≥→±日", Paper: paperPoints("Yelp")[:1]})
	}
	compile(t, "specials", "", map[string]Figure{"specials": f, "letters": letters})
}
