package architecture

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// These are the maximum widths of lines. Comments are narrower, because they are prose. The linter
// limits lines of Go code.
const (
	commentColumns = 100
	codeColumns    = 120
	tabColumns     = 4
)

// TestPackagesSayWhatTheyAre checks that each package has a package comment in exactly one file.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	about, packages := map[string][]string{}, map[string]bool{}
	walk(t, func(pkg, path string) {
		if strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		packages[pkg] = true
		if file.Doc != nil {
			about[pkg] = append(about[pkg], filepath.Base(path))
		}
	})
	if len(packages) < 20 {
		t.Fatalf("only %d packages were found: the walk from %s went wrong", len(packages), root)
	}
	for pkg := range packages {
		if len(about[pkg]) != 1 {
			t.Errorf("%s has %d package comments, in %v: one file says what the package is", pkg, len(about[pkg]), about[pkg])
		}
	}
}

// TestLinesAreNarrow checks that comments in Go and C++ have at most 100 columns, and lines of C++
// at most 120.
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
			equation := strings.HasPrefix(words, "//\t") // a preformatted block
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
