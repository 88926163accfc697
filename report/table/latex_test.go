package table

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// wideTable returns a table with one column of labels and the given number of columns of numbers.
// Every third column of numbers is minor, which means that LaTeX may leave it out.
func wideTable(numbers, rows int) *Table {
	table := &Table{Name: "wide", Study: "s1", Title: "Wide.", Columns: []Column{{Head: "System"}}, Labels: 1}
	for j := range numbers {
		table.Columns = append(table.Columns, Column{Head: fmt.Sprint("column", j), Align: Right, Minor: j%3 == 2})
	}
	for i := range rows {
		row := Row{Cells: []Cell{{Text: fmt.Sprint("system", i)}}}
		for j := range numbers {
			row.Cells = append(row.Cells, Cell{Text: fmt.Sprintf("%d.%d", i, j)})
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// TestLaTeXLayouts checks the layout for each size of a table. A narrow table is a float in one
// column of a paper, a wider one a float across both columns, and a long one a longtable. If a
// table is too wide, its minor columns are left out. LaTeX cannot shrink a longtable, so a wide one
// gets the smallest letters and, if necessary, loses further columns. The caption says so.
func TestLaTeXLayouts(t *testing.T) {
	for _, c := range []struct {
		numbers, rows, shown int
		begins               string
	}{
		{4, 1, 4, `\begin{table}[!htbp]`},
		{12, maxLatexRows, 12, `\begin{table*}[!htbp]`},
		{20, 1, 14, `\begin{table*}[!htbp]`},
		{60, 1, 40, `\begin{table*}[!htbp]`},
		{4, maxLatexRows + 1, 4, `\begin{longtable}`},
		{20, maxLatexRows + 1, 14, `\begin{longtable}`},
		{60, maxLatexRows + 1, 19, `\begin{longtable}`},
	} {
		var b strings.Builder
		table := wideTable(c.numbers, c.rows)
		if err := table.Write(&b, "latex"); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		heads := strings.Count(got, "& column") / strings.Count(got, `\midrule`)
		if !strings.Contains(got, c.begins) || heads != c.shown || strings.Count(got, `\label{tab:s1-wide}`) != 1 {
			t.Errorf("%d numbers, %d rows: %d are shown, want %d in %s:\n%s", c.numbers, c.rows, heads, c.shown,
				c.begins, got)
		}
		if said := strings.Contains(got, latexLess); said != (c.shown < c.numbers) {
			t.Errorf("%d numbers, %d rows: the caption says that there are more: %v", c.numbers, c.rows, said)
		}
	}
}

// TestLongtable checks that a longtable repeats its heads and its title on each page, and that no
// page ends between rows that belong together.
func TestLongtable(t *testing.T) {
	table := wideTable(2, 60)
	for i := range table.Rows {
		table.Rows[i].Joined = i%2 == 1
	}
	var b strings.Builder
	if err := table.Write(&b, "latex"); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for want, n := range map[string]int{
		"System & column0 & column1 \\\\\n": 2, "Wide. (continued)": 1, " \\\\*\n": 30, "\\addlinespace\n": 29,
		"\\onecolumn": 1,
	} {
		if strings.Count(got, want) != n {
			t.Errorf("%q not %d times:\n%s", want, n, got)
		}
	}
}

// TestLaTeXLabelWraps checks that long labels wrap.
func TestLaTeXLabelWraps(t *testing.T) {
	label := "SMLM (lambda_con 1.5, lambda_eps 0.5, decoding copied)"
	for text, want := range map[string]string{"SMLM": "{@{}l@{}}", label: `p{0.336\textwidth}`} {
		table := &Table{Columns: []Column{{Head: "System"}}, Labels: 1, Rows: []Row{{Cells: []Cell{{Text: text}}}}}
		var b strings.Builder
		if err := table.Write(&b, "latex"); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("(%v) no %s:\n%s", err, want, b.String())
		}
	}
}

// TestLaTeXLongWords checks where a long word can break: after each separator, and after 12
// characters without a separator.
func TestLaTeXLongWords(t *testing.T) {
	const here = `\allowbreak{}`
	for in, want := range map[string]string{
		"tok:whitespace|case:as-is": "tok:" + here + `whitespace\textbar{}` + here + "case:" + here + "as-" + here +
			"is",
		"short|word":              `short\textbar{}word`,
		"averyverylongfoldername": "averyverylon" + here + "gfoldername",
	} {
		if got := LaTeXText(in); got != want {
			t.Errorf("LaTeXText(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestTutorialNamesThePackages checks that the tutorial names the LaTeX packages that our tables
// need.
func TestTutorialNamesThePackages(t *testing.T) {
	text, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "`\\usepackage{" + LaTeXPackages + "}`"; !strings.Contains(string(text), want) {
		t.Errorf("docs/tutorial.md does not say %s", want)
	}
}

func TestLaTeXText(t *testing.T) {
	for in, want := range map[string]string{
		`50% & $3 #1 a_b {x}`: `50\% \& \$3 \#1 a\_b \{x\}`,
		`\ ~ ^`:               `\textbackslash{} \textasciitilde{} \textasciicircum{}`,
		`<mask>`:              `\textless{}mask\textgreater{}`,
		`it 's`:               `it \textquotesingle{}s`,
		`--- é 日`:             `-{}-{}- é 日`,
		"Cafe\u0301":          `Café`,
		"می\u200cخواهم":       "می\u200cخواهم",
		"a\u200c😀":            "a\u200c" + `\allowbreak{}{\scriptsize[U+1F600]}`,
		`,,,`:                 `,{},{},`,
		`ħ汤`:                  `ħ汤`,
		"«да» ☂":              `$\ll$да$\gg$ {\scriptsize[U+2602]}`,
	} {
		if got := LaTeXText(in); got != want {
			t.Errorf("LaTeXText(%q) = %q, want %q", in, got, want)
		}
	}
}

// compile compiles a LaTeX document and fails the test on any error and on anything wider than the
// page. The PDF stays in dir.
func compile(t *testing.T, dir, name string, document []byte) {
	t.Helper()
	testkit.PDFLaTeX(t, dir, name, document, `LaTeX Warning: (Float too large|Text page)`)
}

func latexDir(t *testing.T) string {
	if dir := os.Getenv("REPORT_PDF_DIR"); dir != "" { // set REPORT_PDF_DIR to keep the PDFs
		return dir
	}
	return t.TempDir()
}

// TestPDFLaTeXSpecials compiles a table with all pairs of characters that are special in LaTeX, at
// the start and in the middle of rows, and with long words made of these characters.
func TestPDFLaTeXSpecials(t *testing.T) {
	dir := latexDir(t)
	const special = "\\{}&%$#_~^<>|\"'`-*[]!?,;:/@=+ a"
	table := &Table{
		Name:    "specials",
		Title:   special,
		Columns: []Column{{Head: special}, {Head: special, Width: 5}},
		Legend:  []string{special},
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
	float := table.only(func(j int) bool { return j == 0 })
	float.Name = "float"
	var b bytes.Buffer
	if err := WriteAll(&b, "latex-document", []*Table{table, float}); err != nil {
		t.Fatal(err)
	}
	compile(t, dir, "specials", b.Bytes())
	for name, encoding := range map[string]string{"ot1": "", "t1": "\\usepackage[T1]{fontenc}"} {
		b.Reset()
		b.WriteString(
			"\\documentclass{article}\n" + encoding + "\\usepackage[utf8]{inputenc}\\usepackage{textcomp," + LaTeXPackages +
				"}\n\\begin{document}\n",
		)
		if err := WriteAll(&b, "latex", []*Table{table, float}); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\\end{document}\n")
		testkit.PDFLaTeX(t, dir, "specials-"+name, b.Bytes(), "")
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		return // without pdftotext, check only that the tables compile
	}
	out, err := exec.Command("pdftotext", "-layout", filepath.Join(dir, "specials.pdf"), "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[U+2602]", ",,", "-a", "*a", "[a", "%", "<", ">", "|", "{", "#", "&"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// lettersRows returns rows with the Latin letters and signs beyond ASCII that pdflatex prints, at
// most sixteen per row, and one row of codes.
func lettersRows() []Row {
	var rows []Row
	for first := rune(0xa0); first < 0x180; first += 16 {
		letters := ""
		for r := first; r < first+16; r++ {
			if !strings.ContainsRune(latexLacks, r) {
				letters += string(r) + " "
			}
		}
		rows = append(rows, Row{Cells: []Cell{{Text: fmt.Sprintf("%04X", first)}, {Text: letters}}})
	}
	return append(rows, Row{Cells: []Cell{{Text: "☂"}, {Text: strings.Repeat("☂", 28)}}})
}

// TestLaTeXScripts checks letters that pdflatex cannot print in its default encoding. They must
// stay as they are, the first comment of the LaTeX code must say how to print them, and a complete
// document must compile and print them.
func TestLaTeXScripts(t *testing.T) {
	dir := latexDir(t)
	for _, c := range []struct{ text, comment, engine string }{
		{"ещё раз «да»", "% Cyrillic letters: use lualatex or xelatex, ", "pdflatex"},
		{"ещё раз «да»", "with pdflatex, Cyrillic needs \\usepackage[T1,T2A]{fontenc}\n", "lualatex"},
		{"καλά și đ ещё", "% Cyrillic, Greek, Latin letters: use", "lualatex"},
		{"καλά și đ ещё", "\\usepackage{fontspec} and \\setmainfont{a font that has them}", "xelatex"},
		{"đ «þ»", "% Latin letters: use", "pdflatex"},
		{"ماذا؟ نعم،", "% Arabic letters: use", "lualatex"},
		{"שלום", "; text from right to left needs lualatex and \\usepackage[bidi=basic]{babel}\n", "lualatex"},
	} {
		table := &Table{Columns: []Column{{Head: "System"}}, Rows: []Row{{Cells: []Cell{{Text: c.text}}}}}
		var fragment, document bytes.Buffer
		if err := errors.Join(table.Write(&fragment, "latex"), table.Write(&document, "latex-document")); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(fragment.String(), "% needs")
		if !strings.Contains(first, c.comment) || !strings.HasPrefix(document.String(), first) {
			t.Errorf("%s: the first comment is %q, want %q", c.text, first, c.comment)
		}
		t.Run(c.engine, func(t *testing.T) {
			testkit.LaTeX(t, c.engine, dir, "scripts-"+c.engine, document.Bytes(), "")
			out, err := exec.Command("pdftotext", filepath.Join(dir, "scripts-"+c.engine+".pdf"), "-").Output()
			word, _, _ := strings.Cut(c.text, " ")
			if err == nil && c.engine != "pdflatex" && !strings.Contains(c.comment, "Arabic") && !strings.Contains(c.comment, "right to left") &&
				!strings.Contains(string(out), word) {
				t.Errorf("the page lacks %s: %s", word, out)
			}
		})
	}
}

// TestSignaturesNameTables checks that the appendix says which tables have a signature if tables
// have different signatures of a metric.
func TestSignaturesNameTables(t *testing.T) {
	tables := []*Table{
		{Name: "main", Signatures: []string{"tst: one.", "mean: m."}}, {Name: "selection", Signatures: []string{"tst: two.", "mean: m."}},
	}
	for signature, want := range map[string]string{
		"tst: one.": ` Tables: \ref{tab:main}.`, "tst: two.": ` Tables: \ref{tab:selection}.`, "mean: m.": "",
	} {
		if got := signedIn(tables, signature); got != want {
			t.Errorf("%s: %q, want %q", signature, got, want)
		}
	}
}

// TestLaTeXProse checks that latexProse prints quantities as symbols and uses typographic quotation
// marks.
func TestLaTeXProse(t *testing.T) {
	for in, want := range map[string]string{
		`lambda_con 2, smlm.lambda_eps`: `$\lambda_{\mathrm{con}}$ 2, $\lambda_{\epsilon}$`,
		`Loss_rec & lambda_control`:     `$\mathrm{Loss}_{\mathrm{rec}}$ \& lambda\_control`,
		`the paper's "own" ("x")`:       "the paper's ``own'' (``x'')",
	} {
		if got := latexProse(in); got != want {
			t.Errorf("latexProse(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestLaTeXLeavesOut checks that LaTeX, and no other format, leaves out the minor columns of a
// table that is too wide.
func TestLaTeXLeavesOut(t *testing.T) {
	cells := func(texts ...string) Row {
		return Row{Cells: lists.Map(texts, func(s string) Cell { return Cell{Text: s} })}
	}
	columns := &Table{
		Name: "a", Title: "T.",
		Columns: []Column{{Head: "kept"}, {Head: strings.Repeat("wide ", 30), Minor: true}, {Head: "last"}},
		Rows:    []Row{cells("one", "two", "three")},
	}
	for _, format := range []string{"latex", "markdown", "csv", "text", "html"} {
		var b strings.Builder
		if err := WriteAll(&b, format, []*Table{columns}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if has := strings.Contains(text, "two"); has != (format != "latex") {
			t.Errorf("%s: what is left out is there: %t\n%s", format, has, text)
		}
		for _, want := range []string{"kept & last", "one & three \\"} {
			if format == "latex" && !strings.Contains(text, want) {
				t.Errorf("no %q:\n%s", want, text)
			}
		}
	}
}
