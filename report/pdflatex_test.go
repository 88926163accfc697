package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// compile compiles a LaTeX document. The test fails if there is any error, or anything wider than
// the page. The PDF stays in dir.
func compile(t *testing.T, dir, name string, document []byte) {
	t.Helper()
	testkit.PDFLaTeX(t, dir, name, document, `LaTeX Warning: (Float too large|Text page)`)
}

func latexDir(t *testing.T) string {
	if dir := os.Getenv("REPORT_PDF_DIR"); dir != "" { // set REPORT_PDF_DIR to keep the PDFs and look at them
		return dir
	}
	return t.TempDir()
}

// built lists the names of a study's tables, without the table of example sentences.
var built = []string{
	"main", "results", "content", "datasets", "classifier", "divlstm", "attribution", "score",
	"intervals", "significance", "seeds", "selection", "human", "human-ratings", "human-tests",
	"results-paper", "content-paper", "attribution-paper", "classifier-paper", "divlstm-paper", "datasets-paper",
}

// TestPDFLaTeX compiles all kinds of tables in one LaTeX document, including tables that are longer
// and wider than a page.
func TestPDFLaTeX(t *testing.T) {
	dir := latexDir(t)
	all := make([]*Table, 0, 30)
	for _, name := range built {
		all = append(all, tables()[name])
	}
	all = append(all, longResults(), longExamples(), Significance(manyComparisons(), about))
	var b bytes.Buffer
	if err := table.WriteAll(&b, "latex-document", all); err != nil {
		t.Fatal(err)
	}
	compile(t, dir, "all", b.Bytes())

	// Compile the tables without the rest of our document, as part of a two-column paper.
	b.Reset()
	b.WriteString(
		"\\documentclass[twocolumn]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{textcomp," +
			table.LaTeXPackages + "}\n\\begin{document}\n",
	)
	if err := table.WriteAll(&b, "latex", all); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\\end{document}\n")
	compile(t, dir, "fragment", b.Bytes())
}

// TestPDFLaTeXStudy compiles all tables of a study of 24 systems on three data sets, including the
// paper's values.
func TestPDFLaTeXStudy(t *testing.T) {
	dir := latexDir(t)
	var b bytes.Buffer
	if err := table.WriteAll(&b, "latex-document", studyTables()); err != nil {
		t.Fatal(err)
	}
	compile(t, dir, "study", b.Bytes())
	// Compile the same tables on LaTeX's default page, whose text is only 12 cm wide.
	b.Reset()
	b.WriteString(
		"\\documentclass{article}\n\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}\\usepackage{" +
			table.LaTeXPackages + "}\n\\begin{document}\n",
	)
	if err := table.WriteAll(&b, "latex", studyTables()); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\\end{document}\n")
	testkit.PDFLaTeX(t, dir, "narrow", b.Bytes(), "")
}

// longResults returns a table that is longer and wider than a page: 120 rows, which differ on five
// axes.
func longResults() *Table {
	var records []*Record
	for i := range 120 {
		records = append(records, system("market", "SMLM-FT", scores(float64(i)/2, 20, 60, 0.8, 70, 0.1, 0.1, 100, 100, 0, 0),
			"lambda_con", fmt.Sprint(i%5), "lambda_eps", "0.15", "masking.methods", "explainable_attention",
			"smlm.source_token", "false", "finetune.lambda_rec", "10", Seed, fmt.Sprint(i%2)))
	}
	return Build("results", records, about)
}

func longExamples() *Table {
	var all []Example
	for i := range 40 {
		text := strings.Repeat(fmt.Sprintf("sentence %d goes on and on , ", i), 1+i%7)
		all = append(all, Example{
			Dataset: "market", From: []string{"fed_up", "pleased"}[i/20], To: "other", System: "SMLM", Source: text,
			Masked: text, Output: text,
		})
	}
	return Examples(all, about)
}
