package testkit

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// Hangs is how long a test waits for a program before it takes it to hang: far more than it needs
// on a busy machine.
const Hangs = 10 * time.Minute

// ProcessorTime returns what a process or thread has used so far outside of the kernel, in
// hundredths of a second; stat is its file in /proc, such as "/proc/self/stat".
func ProcessorTime(stat string) (time.Duration, error) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0, err
	}
	const utime = 14 // field of proc(5); those after the name, which may hold spaces, begin with the third
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= utime-3 {
		return 0, fmt.Errorf("%s has %d fields after the name", stat, len(fields))
	}
	ticks, err := strconv.Atoi(string(fields[utime-3]))
	return time.Duration(ticks) * 10 * time.Millisecond, err
}

// Started starts a program and returns what it prints; where the test hangs it is killed.
func Started(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(Hangs, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { kill.Stop() })
	return bufio.NewReader(out)
}

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
