package architecture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// proseColumns is the maximum width of a line in a document.
const proseColumns = 120

// TestProseIsNarrow checks that lines of documents have at most proseColumns columns. Tables, code
// blocks and docs/commands.md may be wider.
func TestProseIsNarrow(t *testing.T) {
	read := 0
	walkOf(t, func(folder, path string) {
		name := filepath.Base(path)
		if name == "commands.md" || folder == "workspace" || strings.HasPrefix(folder, "workspace/") {
			return
		}
		read++
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for i, line := range strings.Split(string(text), "\n") {
			fenced = fenced != strings.HasPrefix(line, "```")
			if fenced || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    ") {
				continue
			}
			if width := utf8.RuneCountInString(line); width > proseColumns {
				t.Errorf("%s/%s:%d: %d columns, at most %d", folder, name, i+1, width, proseColumns)
			}
		}
	}, ".md")
	if read < 20 {
		t.Fatalf("only %d documents were found: the walk from %s went wrong", read, root)
	}
}
