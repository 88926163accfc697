package table

import (
	"bytes"
	"fmt"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile fails on any error and on anything wider than the page. The PDF stays in dir.
func compile(t *testing.T, dir, name string, document []byte) {
	t.Helper()
	testkit.PDFLaTeX(t, dir, name, document, `LaTeX Warning: (Float too large|Text page)`)
}

func latexDir(t *testing.T) string {
	if dir := os.Getenv("REPORT_PDF_DIR"); dir != "" { // to look at the pages
		return dir
	}
	return t.TempDir()
}

// Every pair of the characters that mean something to LaTeX, at the start of a row and in the
// middle of it, and long words of them.
func TestPDFLaTeXSpecials(t *testing.T) {
	dir := latexDir(t)
	const special = "\\{}&%$#_~^<>|\"'`-*[]!?,;:/@=+ a"
	table := &Table{
		Name:    "specials",
		Title:   special,
		Columns: []Column{{Head: special}, {Head: special, Width: 5}},
		Notes:   []string{special, "[a", "*a"},
	}
	for _, a := range special {
		row := ""
		for _, b := range special {
			row += string(a) + string(b)
		}
		table.Rows = append(table.Rows, Row{Cells: []Cell{{Text: string(a)}, {Text: row}}})
	}
	table.Rows = append(table.Rows, lettersRows()...)
	var b bytes.Buffer
	if err := table.Write(&b, "latex-document"); err != nil {
		t.Fatal(err)
	}
	compile(t, dir, "specials", b.Bytes())
	for name, encoding := range map[string]string{"ot1": "", "t1": "\\usepackage[T1]{fontenc}"} {
		b.Reset()
		b.WriteString(
			"\\documentclass{article}\n" + encoding + "\\usepackage[utf8]{inputenc}\\usepackage{textcomp," + LaTeXPackages +
				"}\n\\begin{document}\n",
		)
		if err := table.Write(&b, "latex"); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\\end{document}\n")
		testkit.PDFLaTeX(t, dir, "specials-"+name, b.Bytes(), "")
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		return // the compiled page is what matters most
	}
	out, err := exec.Command("pdftotext", "-layout", filepath.Join(dir, "specials.pdf"), "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[U+0127]", "[U+0105]", "[U+6C64]", ",,", "-a", "*a", "[a", "%", "<", ">", "|", "{", "#", "&"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// lettersRows are the Latin letters and signs beyond ASCII, sixteen a row, and one of another
// script.
func lettersRows() []Row {
	var rows []Row
	for first := rune(0xa0); first < 0x180; first += 16 {
		letters := ""
		for r := first; r < first+16; r++ {
			letters += string(r) + " "
		}
		rows = append(rows, Row{Cells: []Cell{{Text: fmt.Sprintf("%04X", first)}, {Text: letters}}})
	}
	return append(rows, Row{Cells: []Cell{{Text: "汤"}, {Text: "汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤汤"}}})
}
