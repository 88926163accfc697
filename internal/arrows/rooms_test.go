package arrows

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A room is a package that one can read at a sitting. The greatest ones there may be, tests not
// counted:
const (
	mostFiles = 25
	mostLines = 2500
	// runsFiles is how many files runs itself may have: the story that its rooms are behind.
	runsFiles = 12
)

// Comments are prose, which is read in narrower columns than code; the linter bounds lines of Go.
const (
	commentColumns = 100
	codeColumns    = 120
	tabColumns     = 4
)

// TestRoomsAreSmall counts files and lines of every package, and looks for its comment.
func TestRoomsAreSmall(t *testing.T) {
	files, lines, about := map[string]int{}, map[string]int{}, map[string]bool{}
	walk(t, func(pkg, path string) {
		if strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files[pkg]++
		lines[pkg] += bytes.Count(text, []byte("\n"))
		about[pkg] = about[pkg] || file.Doc != nil
	})
	if len(files) < 20 {
		t.Fatalf("only %d packages were found: the walk from %s went wrong", len(files), root)
	}
	for pkg := range files {
		most := mostFiles
		if pkg == "runs" {
			most = runsFiles
		}
		if files[pkg] > most || lines[pkg] > mostLines {
			t.Errorf(
				"%s has %d files and %d lines: %d and %d are the most a room may have", pkg, files[pkg], lines[pkg],
				most, mostLines,
			)
		}
		if !about[pkg] {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

// TestLinesAreNarrow: comments of Go and C++ fit in 100 columns, lines of C++ in 120.
func TestLinesAreNarrow(t *testing.T) {
	walk(t, func(_, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(root, path)
		for i, line := range strings.Split(string(text), "\n") {
			width := len([]rune(strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabColumns))))
			words := strings.TrimSpace(line)
			equation := strings.HasPrefix(words, "//\t") // a block that is shown as it stands
			comment := strings.HasPrefix(words, "//") && !strings.HasPrefix(line, "//go:")
			switch {
			case comment && !equation && width > commentColumns:
				t.Errorf("%s:%d: a comment of %d columns, at most %d", name, i+1, width, commentColumns)
			case width > codeColumns && (comment || !strings.HasSuffix(path, ".go")):
				t.Errorf("%s:%d: %d columns, at most %d", name, i+1, width, codeColumns)
			}
		}
	})
}
