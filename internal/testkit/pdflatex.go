package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// HasPDFLaTeX says whether there is a pdflatex with the packages that tables need; adjustbox is the
// one that the smaller installations lack.
func HasPDFLaTeX() bool {
	_, err := exec.LookPath("pdflatex")
	return err == nil && exec.Command("kpsewhich", "adjustbox.sty").Run() == nil
}

// PDFLaTeX compiles a document in dir, where the PDF stays, and fails on any error, on anything
// wider than the page and on any line of the log that also matches more, a regular expression that
// may be "". It skips the test where there is no pdflatex, or not the packages that tables need.
func PDFLaTeX(t *testing.T, dir, name string, document []byte, more string) {
	t.Helper()
	if !HasPDFLaTeX() {
		t.Skip("needs pdflatex with adjustbox (Debian: texlive-latex-recommended and texlive-latex-extra)")
	}
	if err := os.WriteFile(filepath.Join(dir, name+".tex"), document, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", name+".tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pdflatex %s: %v\n%s", name, err, out)
	}
	log, err := os.ReadFile(filepath.Join(dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := `Overfull \\[hv]box|Missing character`
	if more != "" {
		wrong += "|" + more
	}
	for _, line := range regexp.MustCompile(`(?m)^(`+wrong+`).*`).FindAllString(string(log), -1) {
		t.Errorf("%s: %s", name, line)
	}
}
