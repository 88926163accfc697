package table

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

// Whatever the size of a table, each of its cells stands on one page of it, labels beside every run
// of columns; rows that belong together share a page.
func TestLaTeXPagesKeepEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels, numbers := rapid.IntRange(0, 3).Draw(t, "labels"), rapid.IntRange(1, 40).Draw(t, "numbers")
		table := &Table{Name: "x", Labels: labels}
		for j := range labels + numbers {
			table.Columns = append(table.Columns, Column{Head: fmt.Sprint("head", j)})
		}
		for i := range rapid.IntRange(0, 200).Draw(t, "rows") {
			r := Row{Joined: i > 0 && i%3 != 0}
			for j := range table.Columns {
				r.Cells = append(r.Cells, Cell{Text: fmt.Sprintf("cell-%d-%d", i, j)})
			}
			table.Rows = append(table.Rows, r)
		}
		seen := map[string]int{}
		for _, run := range table.columnRuns(latexPortrait.widest(), latexMeasure) {
			for _, page := range run.pages(latexPortrait) {
				if len(page.Rows) > 0 && page.Rows[0].Joined {
					t.Fatal("a page begins in the middle of a group")
				}
				for _, r := range page.Rows {
					for _, c := range r.Cells {
						seen[c.Text]++
					}
				}
			}
		}
		for i, r := range table.Rows {
			for j, c := range r.Cells {
				if n := seen[c.Text]; n == 0 || n > 1 && j >= labels {
					t.Fatalf("cell %d of row %d stands %d times", j, i, n)
				}
			}
		}
	})
}

// A narrow table is a float of a column, a wider one of both, and a wide one is cut into runs of
// columns. One that cannot be cut, as it has no labels, stands on a turned page; only such a page
// asks for one column.
func TestLaTeXShapes(t *testing.T) {
	wide := func(numbers, labels int) *Table {
		table := &Table{Name: "wide", Study: "s1", Title: "Wide.", Columns: []Column{{Head: "System"}}, Labels: labels}
		row := Row{Cells: []Cell{{Text: "SMLM"}}}
		for range numbers {
			table.Columns, row.Cells = append(
				table.Columns, Column{Head: "column", Align: Right},
			), append(row.Cells, Cell{Text: "123.4"})
		}
		table.Rows = []Row{row}
		return table
	}
	for _, c := range []struct {
		numbers, labels, floats int
		env                     string
	}{
		{4, 1, 1, `\begin{table}[!htbp]`},
		{16, 1, 1, `\begin{table*}`},
		{22, 1, 2, `\begin{table*}`},
		{60, 1, 4, `\begin{table*}`},
		{22, 0, 1, `\begin{landscape}`},
	} {
		var b strings.Builder
		if err := wide(c.numbers, c.labels).Write(&b, "latex"); err != nil {
			t.Fatal(err)
		}
		for n := range c.floats {
			label := "\\label{tab:s1-wide}"
			if n > 0 {
				label = fmt.Sprintf("\\label{tab:s1-wide-%d}", n+1)
			}
			if strings.Count(b.String(), label) != 1 {
				t.Errorf("%d numbers: no float %s", c.numbers, label)
			}
		}
		if got := b.String(); !strings.Contains(got, c.env) || strings.Count(got, `\begin{table`) != c.floats ||
			strings.Contains(got, "landscape}") != strings.Contains(got, `\onecolumn`) {
			t.Errorf("%d numbers: want %d floats with %s:\n%s", c.numbers, c.floats, c.env, got)
		}
	}
}

// A long word breaks behind its separators, and anywhere only in long runs without one.
func TestLaTeXLongWords(t *testing.T) {
	const here = `\allowbreak{}`
	for in, want := range map[string]string{
		"tok:whitespace|case:as-is": "tok:" + here + `whitespace\textbar{}` + here + "case:" + here + "as-" + here +
			"is",
		"short|word":              `short\textbar{}word`,
		"averyverylongfoldername": "averyver" + here + "ylongfol" + here + "dername",
	} {
		if got := LaTeXText(in); got != want {
			t.Errorf("LaTeXText(%q) = %q, want %q", in, got, want)
		}
	}
}

// A table that is too wide is cut where a part of its columns begins, and the caption names the
// part; one that fits is not.
func TestColumnParts(t *testing.T) {
	made := func(style, content int) *Table {
		table := &Table{Name: "x", Title: "Scores.", Labels: 1, Columns: []Column{{Head: "System"}}}
		row := Row{Cells: []Cell{{Text: "SMLM"}}}
		for j := range style + content {
			c := Column{Head: fmt.Sprint("number", j), Align: Right}
			if j == style {
				c.Begins = "content"
			}
			table.Columns, row.Cells = append(table.Columns, c), append(row.Cells, Cell{Text: "1.0"})
		}
		table.Rows = []Row{row}
		return table
	}
	for _, c := range []struct {
		style, content int
		widths         []int // numbers of each run
	}{
		{4, 4, []int{8}},
		{4, 12, []int{4, 12}},
		{12, 4, []int{12, 4}},
		{2, 30, []int{2, 11, 10, 9}},
		{1, 14, []int{1, 14}},
	} {
		table := made(c.style, c.content)
		var widths []int
		for _, run := range table.columnRuns(latexPortrait.widest(), latexMeasure) {
			widths = append(widths, len(run.Columns)-1)
		}
		if !slices.Equal(widths, c.widths) {
			t.Errorf("%d and %d numbers: runs of %v, want %v", c.style, c.content, widths, c.widths)
		}
		var b strings.Builder
		if err := table.Write(&b, "latex"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "(continued: content)"); got != (len(c.widths) > 1) {
			t.Errorf("%d and %d numbers: the caption names the part: %v", c.style, c.content, got)
		}
	}
}

// A part of the columns of which a joined row has nothing is without that row.
func TestColumnRun(t *testing.T) {
	table := &Table{Columns: make([]Column, 4), Labels: 2, Rows: []Row{
		{Cells: []Cell{{Text: "SMLM"}, {Text: "ours"}, {Text: "65.0"}, {Text: ".20"}}},
		{Cells: []Cell{{Text: "SMLM"}, {Text: "paper"}, {Text: "63.9"}, {}}, Joined: true},
	}}
	if n := len(table.columnRun(2, 3).Rows); n != 2 {
		t.Errorf("a part that both rows fill has %d of them", n)
	}
	run := table.columnRun(3, 4)
	if len(run.Rows) != 1 || len(run.Columns) != 3 || run.Rows[0].Cells[2].Text != ".20" {
		t.Errorf("a part that one row fills: %+v", run)
	}
}

// A long label hangs beside rows that repeat it, where they have room for all its lines; else it
// makes its row as high as itself.
func TestLaTeXLabelHangs(t *testing.T) {
	for rows, hangs := range map[int]bool{1: false, 2: false, 3: true, 6: true} {
		long := &Table{Name: "long", Labels: 1, Columns: []Column{{Head: "B", Merge: true, Width: 4.75}, {Head: "metric"}}}
		label := "SMLM (lambda_con 1.5, lambda_eps 0.5, decoding copied, seed 1)" // of three lines
		for i := range rows {
			long.Rows = append(long.Rows, Row{Cells: []Cell{{Text: label}, {Text: "TST%"}}, Rule: i == 0})
		}
		long.Rows = append(long.Rows, Row{Cells: []Cell{{Text: "SMLM"}, {Text: "TST%"}}, Rule: true})
		var b strings.Builder
		long.latexTabular(&b)
		if got := strings.Contains(b.String(), `\smash{\parbox[t]{\hsize}{\raggedright SMLM ($`); got != hangs {
			t.Errorf("%d rows: hangs %v", rows, got)
		}
		first := 1
		if !hangs {
			first = 3
		}
		if got := long.rowLines(0); got != first {
			t.Errorf("%d rows: the first has %d lines, not %d", rows, got, first)
		}
	}
}

// A paper must load what the tables need, so the tutorial says it.
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
		`--- é 日`:             `-{}-{}- é {\scriptsize[U+65E5]}`,
		`,,,`:                 `,{},{},`,
		`ħ汤`:                  `{\scriptsize[U+0127]}\allowbreak{}{\scriptsize[U+6C64]}`,
	} {
		if got := LaTeXText(in); got != want {
			t.Errorf("LaTeXText(%q) = %q, want %q", in, got, want)
		}
	}
}

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

// In the appendix a setting is one of all models where most of those that have it agree, whatever
// words its value has.
func TestCommonSettings(t *testing.T) {
	on := func(where string) []Setting { return []Setting{{Name: "trained on", Value: where}} }
	three := []Part{{"A", on("cpu (of 4 cores)")}, {"B", on("cpu (of 4 cores)")}, {"C", on("cpu (of 4 cores)")}}
	for want, more := range map[string][]Part{
		"no other value is given": {{"D", on("cuda (of one kind)")}, {"E", on("cuda (of another kind)")}},
		`\textit{A}: trained on`:  {{"D", on("gpu")}, {"E", on("gpu")}, {"F", on("gpu")}},
	} {
		var b strings.Builder
		tables := []*Table{{Settings: Settings{Parts: append(slices.Clone(three), more...)}}}
		if err := WriteAll(&b, "latex-appendix", tables); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("(%v) no %q in:\n%s", err, want, b.String())
		}
	}
}

// Where one table says how long a model was trained, the appendix does not say how long it was
// to be.
func TestTrainedSettings(t *testing.T) {
	asked := Setting{Name: "epochs", Value: "4"}
	trained := Setting{Name: TrainedFor, Value: "4", After: "epochs (148 steps)"}
	tables := []*Table{
		{Settings: Settings{Parts: []Part{{"A", []Setting{asked}}, {"B", []Setting{asked}}}}},
		{Settings: Settings{Parts: []Part{{"A", []Setting{trained}}}}},
	}
	var b strings.Builder
	if err := WriteAll(&b, "latex-appendix", tables); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`\textit{A}: trained for 4 epochs (148 steps).`, `\textit{B}: epochs 4.`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

// What a paper has no room for is left out in LaTeX alone: columns, or the whole table for a
// shorter one. The appendix says that there is more.
func TestLaTeXLeavesOut(t *testing.T) {
	cells := func(texts ...string) Row {
		return Row{Cells: lists.Map(texts, func(s string) Cell { return Cell{Text: s} })}
	}
	columns := &Table{
		Name: "a", Title: "T.", Columns: []Column{{Head: "kept"}, {Head: "wide", NotInLaTeX: true}, {Head: "last"}},
		Rows: []Row{cells("one", "two", "three")},
	}
	other := &Table{
		Name: "b", Study: "s", Title: "Other.", Columns: []Column{{Head: "wide"}}, Rows: []Row{cells("two"), cells("two")},
		InLaTeX: &Table{Columns: []Column{{Head: "kept"}}, Rows: []Row{cells("one & three")}, Legend: []string{"Short."}},
	}
	for _, format := range []string{"latex", "markdown", "csv", "text", "html"} {
		var b strings.Builder
		if err := WriteAll(&b, format, []*Table{columns, other}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if has := strings.Contains(text, "two"); has != (format != "latex") {
			t.Errorf("%s: what is left out is there: %t\n%s", format, has, text)
		}
		for _, want := range []string{"kept & last", "one & three \\", `one \& three`, `\caption[Other.]{Other. Short.}`, `\label{tab:s-b}`} {
			if format == "latex" && !strings.Contains(text, want) {
				t.Errorf("no %q:\n%s", want, text)
			}
		}
	}
	var b strings.Builder
	if err := WriteAll(&b, "latex-appendix", []*Table{columns, other, {Name: "c"}}); err != nil {
		t.Fatal(err)
	}
	said := b.String()
	if n := strings.Count(said, latexLess); n != 2 || !strings.Contains(said, `Table~\ref{tab:s-b}: Other formats`) {
		t.Errorf("it is said %d times that there is more:\n%s", n, said)
	}
}
