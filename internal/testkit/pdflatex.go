package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// PDFLaTeX compiles a document in dir, where the PDF stays, and fails on any error, on anything
// wider than the page and on any line of the log that also matches more, a regular expression that
// may be "". It skips the test where there is no pdflatex.
func PDFLaTeX(t *testing.T, dir, name string, document []byte, more string) {
	t.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("needs pdflatex (Debian: texlive-latex-base and texlive-latex-recommended), which is not on PATH")
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
