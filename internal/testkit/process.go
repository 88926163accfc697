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

// Hangs is the time after which a test takes a running program for hung. Even on a busy machine,
// programs need far less time.
const Hangs = 10 * time.Minute

// ProcessorTime returns the user-mode CPU time of a process or thread, in steps of 10 ms. The
// argument stat is the path of the process's or thread's file in /proc, such as "/proc/self/stat".
func ProcessorTime(stat string) (time.Duration, error) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0, err
	}
	const utime = 14 // number of the field in proc(5)
	// Field 2 is the program's name, which may contain spaces, so split only the fields from field
	// 3 on.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= utime-3 {
		return 0, fmt.Errorf("%s has %d fields after the name", stat, len(fields))
	}
	ticks, err := strconv.Atoi(string(fields[utime-3]))
	return time.Duration(ticks) * 10 * time.Millisecond, err
}

// Started starts a program and returns its standard output. The program is killed if it runs longer
// than Hangs.
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

// HasPDFLaTeX reports whether pdflatex is installed with the packages that tables need. Smaller
// installations lack adjustbox.
func HasPDFLaTeX() bool {
	_, err := exec.LookPath("pdflatex")
	return err == nil && exec.Command("kpsewhich", "adjustbox.sty").Run() == nil
}

// PDFLaTeX compiles a document in dir and leaves the PDF there. It fails the test after an error,
// an overfull box or a missing character. It also fails the test if a log line begins with a match
// of the regular expression in the parameter more, unless more is "". It skips the test if
// HasPDFLaTeX is false.
func PDFLaTeX(t *testing.T, dir, name string, document []byte, more string) {
	t.Helper()
	LaTeX(t, "pdflatex", dir, name, document, more)
}

// LaTeX does the same as PDFLaTeX, with another engine, such as lualatex.
func LaTeX(t *testing.T, engine, dir, name string, document []byte, more string) {
	t.Helper()
	if _, err := exec.LookPath(engine); err != nil || !HasPDFLaTeX() {
		t.Skip("needs " + engine + " with adjustbox (Debian: texlive-latex-recommended and texlive-latex-extra)")
	}
	if err := os.WriteFile(filepath.Join(dir, name+".tex"), document, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(engine, "-interaction=nonstopmode", "-halt-on-error", name+".tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", engine, name, err, out)
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
