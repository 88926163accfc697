package testkit

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// Split returns the words of each text.
func Split(texts ...string) [][]string {
	all := make([][]string, len(texts))
	for i, text := range texts {
		all[i] = strings.Fields(text)
	}
	return all
}

// Words reads a file of one sentence a line, cut at white space; nil where it is not there.
func Words(t testing.TB, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}
