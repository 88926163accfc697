package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTutorial runs the commands of docs/tutorial.md in a new folder, on an eighth of the sentences,
// and sets the LaTeX that they end with where pdflatex is installed.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for half a minute")
	}
	text, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	self := fmt.Sprintf("#!/bin/sh\nSMLM_EXP_TEST_MAIN=1 exec %q \"$@\"\n", os.Args[0])
	if err := os.WriteFile(filepath.Join(bin, "smlm-exp"), []byte(self), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	bash := func(script string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", "-euxo", "pipefail", "-c", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		return string(out)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 7 {
		t.Fatalf("the tutorial has %d blocks of commands", len(blocks))
	}
	var out string
	for _, b := range blocks {
		fewer := strings.ReplaceAll(b[1], "head -n 4000", "head -n 500")
		out += bash(fewer)
	}
	for _, want := range []string{
		"wrote mine.toml: ", "Transfer results on the test set of mine", "explainable attention", "\tsimilarity\t",
		"lambda_eps=0.5",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the tutorial's commands print no %q:\n%s", want, out)
		}
	}
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("pdflatex is not installed: the document was not set")
	}
	bash("pdflatex -interaction=nonstopmode -halt-on-error document.tex")
}
