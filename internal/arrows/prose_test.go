package arrows

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// proseColumns is how wide a line of a document may be.
const proseColumns = 120

// TestProseIsNarrow: what somebody wrapped in a document fits in its columns. Tables, blocks of
// code, what a command writes below its mark, and docs/commands.md are as wide as they are.
func TestProseIsNarrow(t *testing.T) {
	read := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		ours := !strings.HasPrefix(name, ".") && name != "testdata" && name != "workspace"
		if entry.IsDir() && path != root && !ours {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(name) != ".md" || name == "commands.md" {
			return err
		}
		read++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		written, _, _ := strings.Cut(string(text), "<!-- below this line: smlm-exp")
		fenced := false
		for i, line := range strings.Split(written, "\n") {
			fenced = fenced != strings.HasPrefix(line, "```")
			if fenced || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    ") {
				continue
			}
			if width := utf8.RuneCountInString(line); width > proseColumns {
				where, _ := filepath.Rel(root, path)
				t.Errorf("%s:%d: %d columns, at most %d", where, i+1, width, proseColumns)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 20 {
		t.Fatalf("only %d documents were found: the walk from %s went wrong", read, root)
	}
}
