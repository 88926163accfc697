package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// shell runs scripts in a new folder. In scripts, smlm-exp and bin/smlm-exp are this test binary,
// which acts as the program.
type shell struct {
	*testing.T
	dir, bin string
}

func newShell(t *testing.T) shell {
	t.Helper()
	s := shell{t, filepath.Join(t.TempDir(), "clone"), t.TempDir()}
	self := fmt.Sprintf("#!/bin/sh\nSMLM_EXP_TEST_MAIN=1 exec %q \"$@\"\n", os.Args[0])
	if err := os.WriteFile(filepath.Join(s.bin, "smlm-exp"), []byte(self), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.bin, filepath.Join(s.dir, "bin")); err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a script, which must succeed, and returns what it prints on standard output and standard
// error.
func (s shell) run(script string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), "bash", "-euxo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "PATH="+s.bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

func (s shell) read(path string) string {
	s.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// TestTutorial runs the commands of docs/tutorial.md with fewer sentences and epochs. If pdflatex
// is installed, it also compiles the LaTeX document that the commands write.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for half a minute")
	}
	s := newShell(t)
	blocks := tutorialBlock.FindAllStringSubmatch(s.read("../../docs/tutorial.md"), -1)
	if len(blocks) < 7 {
		t.Fatalf("the tutorial has %d blocks of commands", len(blocks))
	}
	// So little training leaves attention nearly uniform: higher thresholds would mask nothing.
	smaller := strings.NewReplacer("head -n 7000", "head -n 250", "[0.5, 2, 4]", "[0, 0.01, 0.02]",
		"lambda_eps 0.5", "lambda_eps 0", "lambda_eps 4", "lambda_eps 0.02")
	var out string
	for _, b := range blocks {
		out += s.run(smaller.Replace(b[1]))
		if strings.Contains(b[1], " init ") {
			s.run(fewEpochs(2))
		}
	}
	for _, want := range []string{
		"wrote mine.toml for ", "Automatic evaluation on the mine test set", "explainable attention", "\todd\tcost\t",
		"lambda_eps 0.02",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the tutorial's commands print no %q:\n%s", want, out)
		}
	}
	if !testkit.HasPDFLaTeX() {
		t.Skip("pdflatex or adjustbox is not installed: the document was not set")
	}
	s.run("pdflatex -interaction=nonstopmode -halt-on-error document.tex")
}

// fewEpochs returns a script that gives each training of mine.toml, which init wrote, few epochs.
func fewEpochs(n int) string {
	return fmt.Sprintf("sed -i 's/^\\[smlm\\]$/&\\nepochs = %d/' mine.toml\n", n) +
		fmt.Sprintf("for table in classifier guide lm; do printf '[%%s]\\nepochs = %d\\n' $table >>mine.toml; done\n", n) +
		fmt.Sprintf("printf '[divlstm]\\nepochs = %d\\nrestarts = 0\\n' >>mine.toml\n", n)
}

// TestReadme runs the commands that the README gives for a user's own data. There are few
// sentences, and each training has one epoch.
func TestReadme(t *testing.T) {
	s := newShell(t)
	_, section, _ := strings.Cut(s.read("../../README.md"), "## Your own data\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var out string
	ran := 0
	s.run(`smlm-exp data demo demo; head -n 300 demo/train.0.txt >bad.txt; head -n 300 demo/train.1.txt >good.txt`)
	for line := range strings.Lines(section) {
		command, isCommand := strings.CutPrefix(line, "    ")
		switch {
		case !isCommand:
			continue
		case strings.Contains(command, " serve "):
			// The command `serve` runs until it is stopped. Other tests check its answers.
			out += s.run("set +e\ntimeout --signal=INT 5 " + command + "[ $? = 124 ]")
		default:
			out += s.run(command)
		}
		if strings.Contains(command, " init ") {
			s.run(fewEpochs(1))
		}
		ran++
	}
	for _, want := range []string{"next: smlm-exp plan mine.toml", "Automatic evaluation on the mine test set", "explainable attention"} {
		if !strings.Contains(out, want) {
			t.Errorf("the README's %d commands print no %q:\n%s", ran, want, out)
		}
	}
}
